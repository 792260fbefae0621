import { CodeBlock } from '../ui/code-block.tsx'

/** How a receiver on the user's own machine gets events, which the server refuses to post to by default. */
export function LocalWebhooks({ url = 'http://localhost:3000/hook' }: { url?: string }) {
  return (
    <div className="space-y-3 text-left">
      <p className="text-sm text-quiet">
        Unless its operator allows others, the server posts only to public https URLs. For a receiver on your machine,
        this command follows your mail and posts the same events with the same signatures:
      </p>
      <CodeBlock label="On your machine" code={`npx mailhatch listen --forward-to ${url}`} />
      <p className="text-sm text-quiet">
        If the server itself can reach the receiver, its operator can allow the address:
      </p>
      <CodeBlock label="Setting of the server" code={`WEBHOOK_ALLOWED_HOSTS=${hostOf(url)}`} />
    </div>
  )
}

function hostOf(url: string): string {
  return new URL(url).host
}

const PRIVATE_NAME = /^(?:localhost|.+\.(?:localhost|local|internal|lan|test))$/i
const PRIVATE_IPV4 = /^(?:127|10|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254|0)(?:\.\d+)+$/
const PRIVATE_IPV6 = /^\[(?:::1?\]|f[cd]|fe80)/i

/** Whether a URL names this machine or a private network. The server decides by the address that a name resolves to. */
export function isLocalUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return /^https?:$/.test(protocol) && [PRIVATE_NAME, PRIVATE_IPV4, PRIVATE_IPV6].some((form) => form.test(hostname))
}
