import type { Mailhatch } from '@mailhatch/sdk'

const PAGE_MAX = 200

type Mail = { to: string; messageId: string | null; size: number }

export type KnownMail = {
  /** True if the server has this mail, or if it was checked before. Always false without a Message-ID. */
  has(mail: Mail): Promise<boolean>
}

/** Reads which mail the server has now. */
export async function findKnownMail({ messages }: Pick<Mailhatch, 'messages'>): Promise<KnownMail> {
  // Compare sizes first: most mail is new, and searching by header is slow.
  const sizes = new Set<string>()
  for await (const { to, size } of messages.list({ limit: PAGE_MAX })) sizes.add(sizeKey(to, size))
  const checked = new Set<string>()

  return {
    async has({ to, messageId, size }) {
      if (messageId === null) return false
      const key = `${to.toLowerCase()} ${messageId}`
      if (checked.has(key)) return true
      checked.add(key)
      if (!sizes.has(sizeKey(to, size)) && !sizes.has(sizeKey(to, null))) return false
      // `to` is a substring filter, so compare the whole address here.
      const { data } = await messages.list({ to, header: `Message-ID: ${messageId}` })
      return data.some((message) => message.to.toLowerCase() === to.toLowerCase())
    },
  }
}

/** `size` is null for messages that were announced without it. */
function sizeKey(to: string, size: number | null): string {
  return `${to.toLowerCase()} ${size}`
}
