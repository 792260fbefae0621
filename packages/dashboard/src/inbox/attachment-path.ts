import { serverPath } from '../base-path.ts'

/** Where an attachment is downloaded with the session. */
export function attachmentPath(messageId: string, index: number): string {
  return serverPath(`/app/messages/${encodeURIComponent(messageId)}/attachments/${index}`)
}
