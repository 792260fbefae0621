/** The mail settings of a framework, from a section of docs/guide/frameworks.md. */
export type FrameworkSettings = { name: string; code: string; notes: string[]; isTried: boolean }

export type MailServer = { host: string; port: number; address: string }

/** What the guide uses as examples. */
const EXAMPLE = { host: 'localhost', port: '2525', address: 'qa+signup@mailhatch.test' }

const SECTION = /^## (.+)$/m
const CODE = /^```\w*\n([\s\S]*?)^```$/m

/** Reads the guide, so that the documentation and the dashboard cannot differ. */
export function readGuide(markdown: string): FrameworkSettings[] {
  const [intro = '', ...parts] = markdown.split(SECTION)
  const tried = intro.split('\n').find((line) => line.includes('| yes')) ?? ''
  const sections: FrameworkSettings[] = []
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [name, text] = [parts[index]!.trim(), parts[index + 1]!]
    const code = CODE.exec(text)?.[1]?.trimEnd()
    if (code === undefined) continue
    sections.push({ name, code, notes: notesOf(text), isTried: tried.includes(`[${name}]`) })
  }
  return sections
}

/** The paragraphs around the code, without comments and link targets. */
function notesOf(text: string): string[] {
  return text
    .replace(CODE, '')
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replaceAll('\n', ' ').trim())
    .filter((paragraph) => paragraph !== '')
}

/** The code with this server instead of the example. */
export function codeFor(code: string, { host, port, address }: MailServer): string {
  return code
    .replaceAll(EXAMPLE.address, address)
    .replaceAll(new RegExp(`\\b${EXAMPLE.host}\\b`, 'g'), host)
    .replaceAll(new RegExp(`\\b${EXAMPLE.port}\\b`, 'g'), String(port))
}
