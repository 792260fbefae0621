import { requestOptions, type RequestOptions, type Transport } from './transport.ts'
import type { Mailbox } from './wire.ts'

export type Mailboxes = ReturnType<typeof createMailboxes>

const pathOf = (id: string): string => `/v1/mailboxes/${encodeURIComponent(id)}`

export function createMailboxes(transport: Transport) {
  return {
    /**
     * The mailboxes that the key may read, most recently changed first.
     *
     * @example
     * const mailboxes = await mailhatch.mailboxes.list()
     */
    list: (query: { mailbox?: string } = {}, options: RequestOptions = {}): Promise<Mailbox[]> =>
      transport.data({ ...requestOptions(options), path: '/v1/mailboxes', query }),

    /**
     * Creates a mailbox. If the team already has one with this name, returns that one.
     *
     * @example
     * const { address } = await mailhatch.mailboxes.create('orders')
     */
    create: (name: string, options: RequestOptions = {}): Promise<Mailbox> =>
      transport.data({ ...requestOptions(options), method: 'POST', path: '/v1/mailboxes', body: { name } }),

    /**
     * Renames a mailbox. Its messages move to the new name.
     *
     * @example
     * await mailhatch.mailboxes.rename(mailbox.id, 'receipts')
     */
    rename: (id: string, name: string, options: RequestOptions = {}): Promise<Mailbox> =>
      transport.data({ ...requestOptions(options), method: 'PATCH', path: pathOf(id), body: { name } }),

    /**
     * Deletes a mailbox and its messages.
     *
     * @example
     * await mailhatch.mailboxes.delete(mailbox.id)
     */
    delete: (id: string, options: RequestOptions = {}): Promise<{ id: string }> =>
      transport.data({ ...requestOptions(options), method: 'DELETE', path: pathOf(id) }),
  }
}
