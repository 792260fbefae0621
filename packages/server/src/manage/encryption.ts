import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
/** The standard size for GCM. Random nonces do not repeat before billions of texts. */
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Distinguishes this format from future ones. */
const VERSION = 'v1.'

/** Encrypts secrets that must be readable again, so that the database alone does not reveal them. */
export type Encryption = {
  encrypt(text: string): string
  /** Throws if the text was encrypted with another key or changed since. */
  decrypt(encrypted: string): string
}

/** `secret` is any string that is hard to guess. */
export function createEncryption(secret: string): Encryption {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', 'mailhatch sealed secrets', KEY_BYTES))

  return {
    encrypt(text) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
      const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return VERSION + Buffer.concat([nonce, cipher.getAuthTag(), bytes]).toString('base64')
    },

    decrypt(encrypted) {
      const bytes = Buffer.from(encrypted.slice(VERSION.length), 'base64')
      if (!encrypted.startsWith(VERSION) || bytes.length < NONCE_BYTES + TAG_BYTES)
        throw new Error('This is not an encrypted secret.')
      const nonce = bytes.subarray(0, NONCE_BYTES)
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      try {
        return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      } catch (error) {
        throw new Error('A secret cannot be decrypted: SECRET_KEY is not the one it was encrypted with.', {
          cause: error,
        })
      }
    },
  }
}
