// Signs up in the sample app and reads the code from its mail, using only fetch. The same requests work in any language.
const { MAILHATCH_URL = 'http://localhost:3003', MAILHATCH_API_KEY, APP_URL } = process.env

async function get(path) {
  const response = await fetch(MAILHATCH_URL + path, { headers: { authorization: `Bearer ${MAILHATCH_API_KEY}` } })
  const body = await response.json()
  // The error lists the messages that arrived, each with the filters it failed.
  if (!response.ok) throw new Error(JSON.stringify(body))
  return body.data
}

// The current cursor, and a unique address.
const { cursor, team } = await get('/v1/me')
const [mailbox] = await get('/v1/mailboxes')
const address = `${mailbox?.name ?? 'e2e'}+${crypto.randomUUID().slice(0, 8)}@${team.domain}`

await fetch(`${APP_URL}/sign-up-by-code`, { method: 'POST', body: new URLSearchParams({ email: address }) })

// The server holds the request until the mail arrives, for at most 25 seconds.
const query = new URLSearchParams({ mailbox: address, subject: 'Verify', after: cursor, wait: '25', explain: '1' })
const mail = await get(`/v1/messages/latest?${query}`)
const code = mail.codes[0].value

const body = new URLSearchParams({ email: address, code })
const page = await (await fetch(`${APP_URL}/enter-code`, { method: 'POST', body })).text()
console.log(page.includes(`Welcome, ${address}`) ? 'signed up' : 'refused')
