import { API_KEY, type ChildServer } from '../support/child-server.ts'

/** Small writes may still fit into free pages of a database. This many do not. */
const WRITES_MAX = 2_000

/** Creates mailboxes with different names until one is refused. */
export async function writeUntilRefused({ apiUrl }: Pick<ChildServer, 'apiUrl'>, name: string) {
  for (let written = 0; ; written++) {
    const created = await fetch(`${apiUrl}/v1/mailboxes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `${name}-${written}` }),
    })
    const answer: unknown = await created.json()
    if (created.status !== 201 || written === WRITES_MAX) return { status: created.status, answer, written }
  }
}
