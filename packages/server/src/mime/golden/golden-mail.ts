/** A mail and what a reader expects to see of it. What is not named is not checked. */
export type GoldenMail = { name: string; mail: string; expected: Expected }

export type Expected = {
  subject?: string
  /** The text body, or what is derived from the HTML; line ends as \n, trimmed. */
  text?: string
  /** The HTML body, trimmed; '' where there is none. */
  html?: string
  from?: string
  fromName?: string | null
  /** The file names, in the order of the list; null for a part without a name. */
  attachments?: (string | null)[]
  /** What the attachments contain, in the same order, one character a byte. */
  contents?: string[]
}

/** Mails are written as strings in which every character is one byte. */
export const bytesOf = (mail: string): Uint8Array => Uint8Array.from(mail, (character) => character.charCodeAt(0))
export const utf8 = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text))
export const hex = (digits: string): string =>
  digits.replace(/\s+/g, '').replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)))
export const base64 = (bytes: string): string => btoa(bytes)
export const lines = (...all: string[]): string => all.join('\r\n')

/** A mail that has nothing but this subject, written raw. */
export function subject(name: string, raw: string, expected: string): GoldenMail {
  return {
    name,
    mail: lines('From: a@shop.example', `Subject: ${raw}`, '', 'text', ''),
    expected: { subject: expected },
  }
}

/** A mail of one part, with these headers and this body. */
export function body(name: string, headers: string[], content: string, text: string): GoldenMail {
  const mail = lines('From: a@shop.example', 'Subject: s', 'MIME-Version: 1.0', ...headers, '', content)
  return { name, mail, expected: { subject: 's', text } }
}

/** A body in a charset, by the label that the mail gives it. */
export function charset(label: string, bytes: string, text: string): GoldenMail {
  return body(
    `a body labelled ${label}`,
    [`Content-Type: text/plain; charset=${label}`, 'Content-Transfer-Encoding: base64'],
    base64(bytes),
    text,
  )
}

/** A mail that has nothing but this sender, written raw. */
export function sender(name: string, raw: string, from: string, fromName: string | null): GoldenMail {
  return { name, mail: lines(`From: ${raw}`, 'Subject: s', '', 'text', ''), expected: { from, fromName, subject: 's' } }
}

/** A multipart of parts that are written with their headers. */
export function multipart(kind: string, parts: string[], boundary = 'edge'): string {
  return lines(
    `Content-Type: multipart/${kind}; boundary="${boundary}"`,
    '',
    ...parts.map((part) => lines(`--${boundary}`, part)),
    `--${boundary}--`,
    '',
  )
}

export function part(type: string, content: string, ...headers: string[]): string {
  return lines(`Content-Type: ${type}`, ...headers, '', content)
}

export const head = lines('From: a@shop.example', 'Subject: s', 'MIME-Version: 1.0', '')
