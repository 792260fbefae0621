// A webhook receiver for Node 20 or newer:
//
//   npm install @mailhatch/sdk
//   WEBHOOK_SECRET=whsec_… PORT=3000 node receiver.js
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { verifyWebhook, WebhookVerificationError } from '@mailhatch/sdk'

const { WEBHOOK_SECRET, PORT = '3000' } = process.env
/** Deliveries are at least once, so duplicates are detected by id. A real receiver stores the ids in its database. */
const seen = new Set()

const server = createServer((request, response) => void receive(request, response))

async function receive(request, response) {
  try {
    // The raw body: parsing and serialising it again would break the signature.
    const body = await text(request)
    const { data } = await verifyWebhook({ secret: WEBHOOK_SECRET, body, headers: request.headers })
    // Respond first, work later: after 10 seconds the delivery counts as failed and is retried.
    response.writeHead(204).end()
    const id = request.headers['webhook-id']
    if (seen.has(id)) return
    seen.add(id)
    // Printed as JSON, because untrusted text could contain terminal escape sequences.
    const { mailboxWithTag, from, subject } = data
    console.log(JSON.stringify({ mailboxWithTag, from, subject }))
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) console.error(error)
    response.writeHead(error instanceof WebhookVerificationError ? 401 : 500).end()
  }
}

server.listen(Number(PORT), () => console.log(`listening on http://localhost:${server.address().port}`))
