// Signs up at the sample app and reads the code from its mail, with nothing but fetch: the same works in any language.
const { MAILHATCH_URL = 'http://localhost:3003', MAILHATCH_API_KEY, APP_URL } = process.env

async function ask(path) {
  const response = await fetch(MAILHATCH_URL + path, { headers: { authorization: `Bearer ${MAILHATCH_API_KEY}` } })
  const answer = await response.json()
  // The error lists what did arrive, and what each message lacked.
  if (!response.ok) throw new Error(JSON.stringify(answer))
  return answer.data
}

// A place before all that is to come, and an address that nobody else has.
const { cursor, team } = await ask('/v1/me')
const [mailbox] = await ask('/v1/mailboxes')
const address = `${mailbox?.name ?? 'e2e'}+${crypto.randomUUID().slice(0, 8)}@${team.domain}`

await fetch(`${APP_URL}/sign-up-by-code`, { method: 'POST', body: new URLSearchParams({ email: address }) })

// The server holds the request until the mail is there, for 25 seconds at most.
const query = new URLSearchParams({ mailbox: address, subject: 'Verify', after: cursor, wait: '25', explain: '1' })
const mail = await ask(`/v1/messages/latest?${query}`)
const code = mail.codes[0].value

const body = new URLSearchParams({ email: address, code })
const page = await (await fetch(`${APP_URL}/enter-code`, { method: 'POST', body })).text()
console.log(page.includes(`Welcome, ${address}`) ? 'signed up' : 'refused')
