// The vocabulary of the fuzzer. Repeated entries are twice as frequent.

export const METHODS = 'GET GET GET GET POST POST POST DELETE PATCH PUT HEAD OPTIONS'.split(' ')
export const ODD_METHODS = ['TRACE', 'CONNECT', 'PROPFIND', 'QUERY', 'get', 'Post', 'FOO', 'G\0T', '']

export const ODD_TARGETS = [
  '*',
  'v1/messages',
  '',
  'http://other.test/v1/me',
  'http://[::/v1/me',
  'https://',
  '//other.test/v1/me',
  '//',
  '///v1//messages',
  '/v1/../v1/./me',
  '/v1/messages/..%2f..%2fme',
  '/v1/me ',
  '/\0',
  '/%00',
  '/é',
  '/v1/messages?\0',
]
export const PATH_PIECES = [
  ...'/ // /../ /./ \\ ? # ; : @ * ~ + é'.split(' '),
  ...'% %zz %00 %20 %25 %0d%0a %2e%2e %E0%A4%A %C0%AF %F0%9F%98%80 %ED%A0%80'.split(' '),
]

/** Beside those that a route declares. */
export const OTHER_PARAMETERS = [...'limit wait offset __proto__ toString mailbox[]'.split(' '), '']
export const PARAMETER_VALUES = [
  '',
  ...'0 1 7 200 201 -1 1.5 1e9 NaN abc [] __proto__ , a,b,, _'.split(' '),
  ...'qa qa+tag qa%2Btag a%20b fuzz-3 x@y.test c0 cid:x Subject:Hello'.split(' '),
  ...'2024-01-31 2024-02-30 2024-01-31T00:00:00+02:00 0000-01-01 9999-12-31 +275760-09-13'.split(' '),
  ...'%22 %27 %25 %5C %00 %F0%9F%98%80 %ED%A0%80 % %zz %0d%0aX-Injected:1'.split(' '),
]

export const HOSTS = ['x', '', '[::', 'a/b', 'a:99999', 'é', 'a b', 'user@host', '\\']
export const HEADERS = [
  'Accept: */*',
  'Accept: text/event-stream',
  'Accept-Encoding: gzip, br',
  'TE: trailers',
  'Origin: http://localhost',
  'Origin: null',
  'Origin: https://evil.test',
  'Origin: é',
  'Access-Control-Request-Method: DELETE',
  'Access-Control-Request-Headers: authorization, x',
  'Range: bytes=0-1',
  'Range: bytes=9-1',
  'If-None-Match: *',
  'If-Match: "x"',
  'If-Modified-Since: never',
  'Last-Event-ID: c1',
  'Last-Event-ID: !',
  'Last-Event-ID: %00',
  'Cookie: a=b; =; __proto__=1',
  'X-Forwarded-For: 1.2.3.4',
  'X-Forwarded-Proto: javascript',
  'X-Request-Id: mine',
  'Forwarded: for="_x"',
  'X-HTTP-Method-Override: DELETE',
  'X-Odd: \x80\xff',
  'X-Empty:',
  'Content-Language: x',
]
/** After the answer, the connection ends or changes its protocol. */
export const CONNECTION_HEADERS = [
  'Connection: close',
  'Upgrade: websocket\r\nConnection: Upgrade',
  'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings',
  'Expect: 100-continue',
  'Expect: a-miracle',
  'Host: second.test',
]
export const MALFORMED_HEADERS = [
  'Transfer-Encoding: chunked\r\nContent-Length: 3',
  'Content-Length: 5\r\nContent-Length: 6',
  'Content-Length: -1',
  'Content-Length: 1e3',
  'Content-Length: 99999999999999999999',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'Transfer-Encoding: gzip',
  'Bad Name: x',
  ': nameless',
  'X-Nul: \0',
  'NoColon',
]
