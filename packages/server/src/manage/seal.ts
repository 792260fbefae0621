import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
/** What GCM is made for; drawn anew for each text, they do not meet by chance before billions of texts. */
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** So that one day another way of sealing can be told from this one. */
const VERSION = 'v1.'

/** Keeps secrets that we must be able to read again, so that the database alone does not give them away. */
export type Sealer = {
  seal(text: string): string
  /** Throws when it was sealed with another key, or changed since. */
  open(sealed: string): string
}

/** `secret` is any text that is hard to guess. */
export function createSealer(secret: string): Sealer {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', 'mailhatch sealed secrets', KEY_BYTES))

  return {
    seal(text) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
      const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return VERSION + Buffer.concat([nonce, cipher.getAuthTag(), bytes]).toString('base64')
    },

    open(sealed) {
      const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64')
      if (!sealed.startsWith(VERSION) || bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('This is not sealed.')
      const nonce = bytes.subarray(0, NONCE_BYTES)
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      try {
        return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      } catch (error) {
        throw new Error('A secret cannot be opened: SECRET_KEY is not the one that it was sealed with.', {
          cause: error,
        })
      }
    },
  }
}
