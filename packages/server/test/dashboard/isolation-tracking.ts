import { ofKind, type Attack, type Means } from './isolation-attack.ts'

/** Elements and attributes that send requests when they are rendered. */
export function loadingElements({ url }: Means): Attack[] {
  let number = 0
  const next = (ending = 'png') => url(`element-${++number}.${ending}`)
  const relations = `stylesheet icon preload prefetch modulepreload manifest apple-touch-icon preconnect dns-prefetch prerender`
  return ofKind('loading element', [
    `<img src="${next()}">`,
    `<img src=${next()} width=1 height=1 style="display:none">`,
    `<img src="${next().replace('http:', '')}">`,
    `<img src="\n${next()}">`,
    `<img srcset="${next()} 1x, ${next()} 2x">`,
    `<img src="data:," srcset="${next()} 100w" sizes=100vw>`,
    `<img loading=lazy src="${next()}">`,
    `<img lowsrc="${next()}" dynsrc="${next()}" src="${next()}">`,
    `<picture><source srcset="${next()}"><img></picture>`,
    `<input type=image src="${next()}">`,
    `<video src="${next('mp4')}" preload=auto></video>`,
    `<video poster="${next()}"></video>`,
    `<video autoplay muted><source src="${next('mp4')}"></video>`,
    `<video src=data:, ><track default src="${next('vtt')}"></video><img src="${next()}">`,
    `<audio src="${next('mp3')}" preload=auto></audio>`,
    `<audio autoplay><source src="${next('mp3')}"></audio>`,
    `<bgsound src="${next('wav')}"><img src="${next()}">`,
    `<body background="${next()}">`,
    `<table background="${next()}"><tr><td>x</table>`,
    `<table><tr><td background="${next()}">x</table>`,
    `<table><tr><th background="${next()}">x</table>`,
    `<iframe src="${next('html')}"></iframe>`,
    `<object data="${next()}"></object>`,
    `<embed src="${next()}">`,
    `<applet code=x archive="${next('jar')}"></applet><img src="${next()}">`,
    `<script src="${next('js')}"></script>`,
    `<svg><image href="${next()}"></svg>`,
    `<svg><image xlink:href="${next()}"></svg>`,
    `<svg><use href="${next('svg')}#x"></svg>`,
    `<svg><feImage href="${next()}"></svg><svg><filter id=f><feImage href="${next()}"></filter><rect width=9 height=9 filter=url(#f)></svg>`,
    `<svg><rect fill="url(${next('svg')}#a)" width=9 height=9></svg>`,
    `<svg><style>rect{fill:url(${next('svg')}#a)}</style><rect width=9 height=9></svg>`,
    `<svg style="background:url(${next()})" width=9 height=9></svg>`,
    `<base href="${url('')}"><img src="relative-${++number}.png">`,
    `<link rel="shortcut icon" href="${next('ico')}"><img src="${next()}">`,
    `<meta http-equiv="Link" content="<${next('css')}>; rel=stylesheet"><img src="${next()}">`,
    `<meta http-equiv="Content-Security-Policy" content="default-src *"><img src="${next()}">`,
    `<meta http-equiv="Content-Security-Policy-Report-Only" content="img-src 'none'; report-uri ${next('report')}"><img src="${next()}">`,
    `<html manifest="${next('manifest')}"><img src="${next()}">`,
    `<img src="data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg"><image href="${next()}"/></svg>`)}"><img src="${next()}">`,
    ...relations
      .split(' ')
      .flatMap((relation) => [
        `<link rel=${relation} as=image href="${next('css')}"><img src="${next()}">`,
        `<link rel="${relation} stylesheet" href="${next('css')}">`,
      ]),
    // Without a request. Chromium without a user interface ignores hints to connect ahead.
    `<link rel=preconnect href="${url('')}">`,
    `<link rel="dns-prefetch preconnect" href="${url('').replace('http:', '')}" crossorigin>`,
    `<meta http-equiv=x-dns-prefetch-control content=on><a href="${next('html')}">x</a>`,
    // The canary gets a TLS handshake, which is no request there.
    `<img src="${next().replace('http:', 'https:')}">`,
  ])
}

export function loadingStyles({ url }: Means): Attack[] {
  let number = 0
  const next = (ending = 'png') => url(`style-${++number}.${ending}`)
  const properties =
    `background background-image list-style list-style-image content cursor border-image border-image-source
    mask mask-image -webkit-mask-image -webkit-mask-box-image-source shape-outside`.split(/\s+/)
  const box = 'display:list-item;width:99px;height:99px;border:9px solid'
  return ofKind('loading style', [
    ...properties.map((name) => `<p style="${box};${name}:url(${next()})">x</p>`),
    ...properties.map((name) => `<style>p{${box};${name}:url("${next()}")}</style><p>x</p>`),
    ...properties.map((name) => `<style>p::before{${box};content:"x";${name}:url('${next()}')}</style><p>x</p>`),
    `<style>@import "${next('css')}";</style>`,
    `<style>@import '${next('css')}' screen;</style>`,
    `<style>@import url(${next('css')});</style>`,
    `<style>@import url("${next('css')}") layer(x);</style>`,
    `<style>@IMPORT URL(${next('css')});</style>`,
    `<style>@\\69mport "${next('css')}";</style>`,
    `<style>@import/**/"${next('css')}";</style>`,
    `<style>/*</style><style>*/@import "${next('css')}";</style><style>@import "${next('css')}";</style>`,
    `<style><!-- @import "${next('css')}"; --></style>`,
    `<style>@charset "utf-8";@import "${next('css')}";</style>`,
    `<style>@font-face{font-family:f;src:url(${next('woff2')})}p{font-family:f}</style><p>x</p>`,
    `<style>@font-face{font-family:f;src:local(x),url("${next('woff2')}") format("woff2")}p{font:9px f}</style><p>x</p>`,
    `<p style="background:\\75rl(${next()})">x</p>`,
    `<p style="background:u\\72 l(${next()})">x</p>`,
    `<p style="background:url(/**/${next()})">x</p><p style="background:/**/url(${next()})">x</p>`,
    `<p style="background:URL(${next()})">x</p>`,
    `<p style="background:url(&quot;${next()}&quot;)">x</p>`,
    `<p style='background:&#117;rl(${next()})'>x</p>`,
    `<p style="background:url(\n${next()}\n)">x</p>`,
    `<p style="background:image-set('${next()}' 1x)">x</p>`,
    `<p style="background:-webkit-image-set(url(${next()}) 1x)">x</p>`,
    `<p style="background:cross-fade(url(${next()}),url(${next()}),50%)">x</p>`,
    `<p style="background:linear-gradient(red,red),url(${next()})">x</p>`,
    `<p style="--u:url(${next()});background:var(--u)">x</p>`,
    `<p style="filter:url(${next('svg')}#f)">x</p>`,
    `<p style="clip-path:url(${next('svg')}#c)">x</p>`,
    `<style>@media screen{body{background:url(${next()})}}</style>`,
    `<style>@supports (color:red){body{background:url(${next()})}}</style>`,
    `<style>@layer a{body{background:url(${next()})}}</style>`,
    `<style>body{& p{background:url(${next()})}}</style><p>x</p>`,
    `<style media=all type=text/css>body{background:url(${next()})}</style>`,
    `<style>@namespace url(${next('ns')});body{background:url(${next()})}</style><style>body{background:url(${next()})}</style>`,
    `<style>@page{background:url(${next()})}body{background:url(${next()})}</style>`,
    `<style>a[href^="h"]{background:url(${next()})}</style><a href="https://shop.example/">x</a>`,
    `<style>input[value^="s"]{background:url(${next()})}</style><input value=secret>`,
    `<div style="width:expression(alert(1));background:url(${next()})">x</div>`,
    `<div style="behavior:url(${next('htc')});-moz-binding:url(${next('xml')});background:url(${next()})">x</div>`,
    `<head><style>body{background:url(${next()})}</style></head>`,
    `<style>body{background:url(${next()})`,
  ])
}

/** Pages that navigate away, or make the page around them do so. */
export function navigations({ url, script }: Means): Attack[] {
  let number = 0
  const next = () => url(`navigation-${++number}.html`)
  return [
    ...ofKind('navigation', [
      `<meta http-equiv=refresh content="0;url=${next()}">`,
      `<meta http-equiv="Refresh" content="0; ${next()}">`,
      `<META HTTP-EQUIV=REFRESH CONTENT='0;URL="${next()}"'>`,
      `<meta http-equiv=refresh content="0;url=javascript:${encodeURIComponent(script)}"><meta http-equiv=refresh content="0;url=${next()}">`,
      `<meta http-equiv=refresh content="0;url=data:text/html,x"><img src=${next()}>`,
      `<head><meta content="0;url=${next()}" http-equiv=refresh></head>`,
      `<noscript><meta http-equiv=refresh content="0;url=${next()}"></noscript><img src=${next()}>`,
      `<svg><meta http-equiv=refresh content="0;url=${next()}"></svg>`,
    ]),
    ...ofKind(
      'clicked form',
      [
        `<form action="${next()}"><button>click me</button></form>`,
        `<form method=post action="${next()}"><input name=a value=b><input type=submit value="click me"></form>`,
        `<form action="${next()}" target=_top><button>click me</button></form>`,
        `<form><button formaction="${next()}">click me</button></form>`,
        `<form id=f action="${next()}"></form><button form=f>click me</button>`,
        `<form action="${next()}"><input type=image alt="click me" width=99 height=99></form>`,
        `<a href="#here" ping="${next()}">click me</a>`,
        `<base target=_top><a href="#x" ping="${next()}">click me</a>`,
      ],
      { needsClick: true },
    ),
  ]
}
