import { hash } from 'node:crypto'

/** What a stage does with a mail that has its token and this word. */
export type PoisonKind = 'throw' | 'hang' | 'memory'

/** Each stage that gets something of a mail with this text is printed. */
export const RECORD_TOKEN = 'zqrecordstages'

/** Short, because it is part of an address. */
export function tokenOf(stage: string): string {
  return `zq${hash('sha256', stage).slice(0, 8)}`
}

/** The token wherever a stage may look, and text to make the mail larger. */
export function poisonMail(token: string, padding = 0): Buffer {
  return Buffer.from(
    [
      `From: ${token} <${token}@shop.example>`,
      `Subject: ${token}`,
      'Content-Type: multipart/alternative; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      `${token}: your code is 482913. https://shop.example/${token}`,
      'Hello there.\r\n'.repeat(Math.ceil(padding / 14)),
      '--b',
      'Content-Type: text/html',
      '',
      `<p>${token}: your code is <b>482913</b>. <a href="https://shop.example/${token}">Verify</a></p>`,
      '--b--',
      '',
    ].join('\r\n'),
  )
}
