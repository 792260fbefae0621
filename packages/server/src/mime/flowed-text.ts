/**
 * Joins the lines of `format=flowed` text (RFC 3676): a line that ends in a space continues in the next line of the
 * same quote depth. With `delSp`, that space was added by the folding and is removed.
 */
export function unflow(text: string, delSp: boolean): string {
  const paragraphs: string[] = []
  let paragraph: string[] = []
  let depth = -1

  const endParagraph = () => {
    if (paragraph.length > 0) paragraphs.push((depth > 0 ? '>'.repeat(depth) + ' ' : '') + paragraph.join(''))
    paragraph = []
  }

  for (const line of text.split('\n')) {
    const lineDepth = quoteDepth(line)
    const content = line.slice(line[lineDepth] === ' ' ? lineDepth + 1 : lineDepth)
    if (lineDepth !== depth) endParagraph()
    depth = lineDepth
    // The separator of a signature ends a paragraph although it ends in a space.
    const isSignature = content === '-- '
    if (isSignature) endParagraph()
    const isFlowed = content.endsWith(' ') && !isSignature
    paragraph.push(isFlowed && delSp ? content.slice(0, -1) : content)
    if (!isFlowed) endParagraph()
  }
  endParagraph()
  return paragraphs.join('\n')
}

function quoteDepth(line: string): number {
  let depth = 0
  while (line[depth] === '>') depth++
  return depth
}
