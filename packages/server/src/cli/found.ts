import { NotFoundError } from '@mailhatch/sdk'

/** Says what was not found: the server responds only with "Not found.". */
export async function found<Result>(request: Promise<Result>, otherwise: string): Promise<Result> {
  try {
    return await request
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
    throw new NotFoundError(otherwise, { status: error.status, body: error.body, cause: error })
  }
}

export function noMessage(id: string): string {
  return `There is no message ${id}. mailhatch list shows the ids.`
}

export function noEndpoint(id: string): string {
  return `There is no endpoint ${id}. mailhatch webhooks list shows the ids.`
}
