// A receiver of Mailhatch's webhooks, for Node 20 or newer:
//
//   npm install @mailhatch/sdk
//   WEBHOOK_SECRET=whsec_… PORT=3000 node receiver.js
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { verifyWebhook, WebhookVerificationError } from '@mailhatch/sdk'

const { WEBHOOK_SECRET, PORT = '3000' } = process.env
/** Deliveries come at least once: the id is what tells a repeated one. A real receiver keeps it in its database. */
const seen = new Set()

const server = createServer((request, response) => void receive(request, response))

async function receive(request, response) {
  try {
    // The bytes as they came: parsed and written again, they would no longer fit the signature.
    const body = await text(request)
    const { data } = await verifyWebhook({ secret: WEBHOOK_SECRET, body, headers: request.headers })
    // Answer first, work later: after 10 seconds the delivery counts as failed and comes again.
    response.writeHead(204).end()
    const id = request.headers['webhook-id']
    if (seen.has(id)) return
    seen.add(id)
    // As JSON, because strangers wrote it, and a terminal obeys what it is shown.
    const { mailboxWithTag, from, subject } = data
    console.log(JSON.stringify({ mailboxWithTag, from, subject }))
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) console.error(error)
    response.writeHead(error instanceof WebhookVerificationError ? 401 : 500).end()
  }
}

server.listen(Number(PORT), () => console.log(`listening on http://localhost:${server.address().port}`))
