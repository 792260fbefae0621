import { stripTypeScriptTypes } from 'node:module'

/** Runs an example as the body of a function with the variables that it assumes. */
export async function runExample(code: string, given: Record<string, unknown>): Promise<void> {
  const body = stripTypeScriptTypes(`async () => {${code}\n}`)
  // eslint-disable-next-line typescript/no-implied-eval -- examples are our own text
  const example = new Function(...Object.keys(given), `return (${body})()`) as (...values: unknown[]) => Promise<void>
  await example(...Object.values(given))
}

/** The code blocks of a page in this language. */
export function codeBlocks(page: string, language: 'ts' | 'js'): string[] {
  return Array.from(page.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g')), ([, code]) => code!)
}
