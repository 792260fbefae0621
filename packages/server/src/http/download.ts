// Only types of RFC 6838, because the sender chose the value and it becomes a header.
const MEDIA_TYPE = /^[a-z0-9][\w!#$&^.+-]{0,126}\/[a-z0-9][\w!#$&^.+-]{0,126}$/i
const FILENAME_CHARACTERS_MAX = 200

/** Headers that make a browser save the file and never show it, because it comes from an untrusted sender. */
export function attachmentHeaders({
  contentType,
  filename,
}: {
  contentType: string
  filename: string
}): Record<string, string> {
  return {
    'content-type': MEDIA_TYPE.test(contentType) ? contentType : 'application/octet-stream',
    'content-disposition': contentDisposition(filename),
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
  }
}

/** RFC 6266: an ASCII form that every client reads, and the exact name if that differs. */
function contentDisposition(filename: string): string {
  const name = filename.toWellFormed().slice(0, FILENAME_CHARACTERS_MAX).toWellFormed()
  const plain = name.replaceAll(/[^\w .()+@=,-]/g, '_')
  if (plain === name) return `attachment; filename="${plain}"`
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
