/** The product ignores this header. A server with faults first makes the request with these headers instead of its own. */
export const ACTOR_HEADER = 'x-acts-first-as'

/** Headers that show who calls. */
export type Credentials = Record<string, string>

/** For a control: the request acts for a permitted caller, and is then answered as if it had not. */
export function actingFirstAs(actor: Credentials): Credentials {
  return { [ACTOR_HEADER]: JSON.stringify(actor) }
}

/** The same request by the permitted caller, or null if it does not act first. */
export async function requestOfActor(request: Request): Promise<Request | null> {
  const actor = request.headers.get(ACTOR_HEADER)
  if (actor === null) return null
  const headers = new Headers(request.headers)
  for (const name of ['authorization', 'cookie', ACTOR_HEADER]) headers.delete(name)
  // Written by actingFirstAs.
  for (const [name, value] of Object.entries(JSON.parse(actor) as Credentials)) headers.set(name, value)
  const body = await request.clone().text()
  return new Request(request.url, { method: request.method, headers, ...(body !== '' && { body }) })
}
