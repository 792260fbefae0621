/** Location of the objects: `s3://bucket/prefix?endpoint=…&region=…&style=…`. */
export type S3Location = {
  bucket: string
  region: string
  /** URL of the bucket, without a trailing slash. */
  url: string
  /** Prefix of every key: empty, or ending with a slash. */
  prefix: string
}

const PARAMETERS = ['endpoint', 'region', 'style']

/** Throws an error that says what it expects. */
export function parseS3Location(given: string): S3Location {
  if (!URL.canParse(given)) throw new Error('must be s3://<bucket>?endpoint=<URL>&region=<region>')
  const { hostname: bucket, pathname, searchParams, username, password, port } = new URL(given)
  if (username || password)
    throw new Error('must not contain credentials; set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY')
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/.test(bucket) || port) {
    throw new Error('must name a bucket after s3://, of 2 to 63 letters, digits, dots and hyphens')
  }
  const unknown = [...searchParams.keys()].find((name) => !PARAMETERS.includes(name))
  if (unknown) throw new Error(`has the unknown parameter ${unknown}; allowed are ${PARAMETERS.join(', ')}`)
  const endpoint = searchParams.get('endpoint')
  const style = searchParams.get('style') ?? (endpoint ? 'path' : 'virtual')
  const region = searchParams.get('region') || (endpoint ? 'auto' : '')
  if (!region) throw new Error('requires region=<region>, or endpoint=<URL> for storage other than Amazon S3')
  if (!/^[\w-]+$/.test(region)) throw new Error('must have a region such as eu-central-1')
  return {
    bucket,
    region,
    url: bucketUrl(bucket, endpoint ?? `https://s3.${region}.amazonaws.com`, style),
    prefix: prefixOf(pathname),
  }
}

function bucketUrl(bucket: string, endpoint: string, style: string): string {
  if (!/^https?:\/\//i.test(endpoint) || !URL.canParse(endpoint)) {
    throw new Error('must have an endpoint with http:// or https://')
  }
  const { protocol, host, pathname, search, hash, username } = new URL(endpoint)
  if (search || hash || username) throw new Error('must have an endpoint with only host, port and path')
  const path = pathname.replace(/\/+$/, '')
  if (style === 'path') return `${protocol}//${host}${path}/${bucket}`
  if (style === 'virtual') return `${protocol}//${bucket}.${host}${path}`
  throw new Error('must have style=path or style=virtual')
}

function prefixOf(pathname: string): string {
  const path = pathname.replace(/^\//, '').replace(/\/$/, '')
  if (path === '') return ''
  const isPlain = path.split('/').every((name) => /^[\w-][\w.-]*$/.test(name))
  if (!isPlain) throw new Error('must have a prefix of letters, digits, dots, hyphens and slashes')
  return `${path}/`
}

/** The URL of an object, with each segment encoded as S3's signature requires. */
export function objectUrl({ url, prefix }: S3Location, key: string): string {
  const segments = `${prefix}${key}`.split('/')
  // URLs cannot contain them: encoded or not, they refer to another path.
  if (segments.some((segment) => segment === '.' || segment === '..')) throw new Error(`Not a valid S3 key: ${key}`)
  return `${url}/${segments.map(encodeStrictly).join('/')}`
}

/** RFC 3986: encodes everything except letters, digits and -._~. */
export function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
