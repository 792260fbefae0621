import type { Mailhatch } from '@mailhatch/sdk'

const PAGE_MAX = 200

type Mail = { to: string; messageId: string | null; size: number }

export type KnownMail = {
  /** Whether there is a message of this mail, or was one asked for before; without a Message-ID nobody can say. */
  has(mail: Mail): Promise<boolean>
}

/** What a server has at this moment. */
export async function findKnownMail({ messages }: Pick<Mailhatch, 'messages'>): Promise<KnownMail> {
  // Read at once, because most mails are new, and looking for a header takes the server long.
  const sizes = new Set<string>()
  for await (const { to, size } of messages.list({ limit: PAGE_MAX })) sizes.add(sizeKey(to, size))
  const asked = new Set<string>()

  return {
    async has({ to, messageId, size }) {
      if (messageId === null) return false
      const key = `${to.toLowerCase()} ${messageId}`
      if (asked.has(key)) return true
      asked.add(key)
      if (!sizes.has(sizeKey(to, size)) && !sizes.has(sizeKey(to, null))) return false
      // A part of the address is enough to the server, so that the rest is compared here.
      const { data } = await messages.list({ to, header: `Message-ID: ${messageId}` })
      return data.some((message) => message.to.toLowerCase() === to.toLowerCase())
    },
  }
}

/** The size is not known of messages that were announced without it. */
function sizeKey(to: string, size: number | null): string {
  return `${to.toLowerCase()} ${size}`
}
