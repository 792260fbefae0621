import type { Downloads } from '../downloads.ts'
import type { ApiPorts } from '../ports.ts'

export type ReferenceSource = {
  /** The OpenAPI document as JSON. */
  json(): Promise<string>
  /** The reference page and its content security policy. `origin` is the origin of the request. */
  page(origin: string): Promise<{ html: string; policy: string }>
}

/** What the handlers of routes need. */
export type RoutePorts = Pick<
  ApiPorts,
  'store' | 'now' | 'messages' | 'mailboxes' | 'keys' | 'webhooks' | 'inbound' | 'site' | 'observe'
> & {
  downloads: Downloads
  reference: ReferenceSource
}
