// Mails are put together as strings in which every character is one byte.

export const utf8 = (text: string): string => latin1(new TextEncoder().encode(text))
export const base64 = (bytes: string): string => btoa(bytes)
export const bytesOf = (mail: string): Uint8Array => Uint8Array.from(mail, (character) => character.charCodeAt(0))

export function latin1(bytes: Iterable<number>): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
}

export function isUtf8(bytes: string): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(bytes))
    return true
  } catch {
    return false
  }
}
