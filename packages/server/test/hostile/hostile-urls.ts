/** The port of the canary, besides https, http and DENIED_PORTS: an ordinary port that the guard allows. */
export const CANARY_PORT = 8443

/** Ports that are refused for any host. A canary listens on each. */
export const DENIED_PORTS = [
  1, 7, 19, 22, 23, 25, 53, 110, 111, 143, 389, 445, 465, 587, 993, 1023, 2375, 3306, 5432, 6379, 9200, 11211, 27017,
]

export type HostileUrl = {
  url: string
  /** The DNS response for the host of the URL. */
  resolvesTo?: string[]
  /** Whether an unprotected request reaches the canary. False if no TCP connection is possible. */
  isReachable: boolean
}

const PUBLIC = '93.184.216.34'

/** All of them are 127.0.0.1 or another loopback address, or the unspecified address, which connects to it. */
const LOOPBACK_HOSTS = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '127.000.000.001',
  '127.0.0.2',
  '127.127.127.127',
  '127.255.255.254',
  '0177.0.0.1',
  '0177.0.0.01',
  '00177.0.0.1',
  '0177.0000.0000.0001',
  '0x7f.0.0.1',
  '0x7F.0.0.1',
  '0x7f.0x0.0x0.0x1',
  '0x7f.1',
  '0x7f.0.1',
  '0177.1',
  '0x7f000001',
  '0x007f000001',
  '2130706433',
  '017700000001',
  '0017700000001',
  '127.0x1',
  '127.00001',
  '0',
  '0.0.0.0',
  '0x0',
  '00',
  '0.0',
  // Digits, dots and letters that IDNA maps to ASCII.
  '１２７.0.0.1',
  '127。0。0。1',
  '127．0．0．1',
  '127｡0｡0｡1',
  '①②⑦.0.0.①',
  '𝟭𝟮𝟳.𝟬.𝟬.𝟭',
  '%31%32%37.0.0.1',
  '127%2e0%2e0%2e1',
  '0%787f.1',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[::0001]',
  '[::0.0.0.1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::FFFF:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:7f00:0001]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::ffff:127.1.2.3]',
]

/** Names of the machine itself and its own network. */
const LOCAL_NAMES = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'LocalHost',
  'ｌｏｃａｌｈｏｓｔ',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'loc%61lhost',
  'local\u00adhost',
  'app.localhost',
  'a.b.localhost.',
  'printer.local',
  'kubernetes.default.svc.cluster.local',
  'metadata.google.internal',
  'metadata.google.internal.',
  'instance-data.ec2.internal',
  'host.docker.internal',
]

/** Private, link-local, carrier-grade NAT, cloud and reserved addresses. */
const PRIVATE_V4 = [
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.100.100.200',
  '100.127.255.254',
  '168.63.129.16',
  '169.254.0.1',
  '169.254.169.254',
  '169.254.169.253',
  '169.254.170.2',
  '172.16.0.1',
  '172.17.0.1',
  '172.31.255.254',
  '192.0.0.1',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '192.168.255.254',
  '198.18.0.1',
  '198.19.255.254',
  '198.51.100.1',
  '203.0.113.1',
  '240.0.0.1',
  '255.255.255.254',
]

const PRIVATE_V4_NOTATIONS = [
  '0xa9fea9fe',
  '2852039166',
  '025177524776',
  '0251.0376.0251.0376',
  '0xa9.0xfe.0xa9.0xfe',
  '169.254.43518',
  '169.16689662',
  '10.1',
  '0xa000001',
  '167772161',
  '012.0.0.1',
  '192.168.1',
  '3232235777',
  '0xc0a80101',
  '１６９.254.169.254',
]

const PRIVATE_V6 = [
  '::2',
  '::127.0.0.1',
  '::10.0.0.1',
  '::169.254.169.254',
  '::ffff:10.0.0.1',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '::ffff:192.168.0.1',
  '::ffff:100.64.0.1',
  '::ffff:0:127.0.0.1',
  '::ffff:0:a9fe:a9fe',
  '64:ff9b::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::7f00:1',
  '64:ff9b:1:ffff::a9fe:a9fe',
  '100::1',
  '2001::1',
  '2001:0:a9fe:a9fe::1',
  '2001:0:4136:e378:8000:63bf:80ff:fffe',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:7f00:1::1',
  '2002:a00:1::1',
  '2002:a9fe:a9fe::1',
  '2606:4700::5efe:127.0.0.1',
  '2606:4700::5efe:a9fe:a9fe',
  '2606:4700::200:5efe:10.0.0.1',
  '3fff::1',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'fd00::1',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fdff:ffff::1',
  'fec0::1',
]

/** No TCP connection to these is possible, so nothing is reached without the guard either. */
const UNREACHABLE = [
  '224.0.0.1',
  '239.255.255.250',
  '255.255.255.255',
  '[fe80::1]',
  '[fe80::a9fe:a9fe]',
  '[ff02::1]',
  '[ff0e::1]',
]

const WITH_CREDENTIALS = [
  'https://user@93.184.216.34/',
  'https://user:password@93.184.216.34/',
  'https://:password@93.184.216.34/',
  'https://hooks.example.com@127.0.0.1/',
  'https://hooks.example.com:443@127.0.0.1/',
  'https://hooks.example.com%23@127.0.0.1/',
  'https://93.184.216.34:pw@169.254.169.254/latest/meta-data/',
]

/** Spelled so that parsers disagree about the host. */
const ODD_SPELLINGS = [
  'https:127.0.0.1/',
  'https:/127.0.0.1/',
  'https:///127.0.0.1/',
  'https:\\\\127.0.0.1\\',
  'https://127.0.0.1\\@93.184.216.34/',
  'https://127.0.0.1#@93.184.216.34/',
  'https://127.0.0.1?@93.184.216.34/',
  'https://127.0.0.1/@93.184.216.34/',
  ' https://127.0.0.1/ ',
  'https://127.0.\t0.1/',
  'https://127.0.0.1\n/',
  'hTTpS://127.0.0.1/',
]

/** Not for TCP, or not a URL. */
const NOT_WEB = [
  'ftp://127.0.0.1/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:6379/_FLUSHALL',
  'dict://127.0.0.1:11211/stats',
  'ldap://127.0.0.1/',
  'ws://127.0.0.1/',
  'data:text/plain,hello',
  'javascript:fetch("http://127.0.0.1")',
  'unix:///var/run/docker.sock',
  'https://[fe80::1%25lo]/',
  'https://[::1%lo]/',
  'https://127.0.0.1:99999/',
  'https://127.0.0.256/',
  'https://0x100000000/',
  'https://[::ffff:127.0.0.1/',
  '//127.0.0.1/',
  '',
]

/** DNS responses for an innocent name: anything private, alone or among public addresses. */
const ANSWERS: string[][] = [
  ...['127.0.0.1', '127.8.8.8', '0.0.0.0', ...PRIVATE_V4, '::', '::1', ...PRIVATE_V6].map((address) => [address]),
  [PUBLIC, '127.0.0.1'],
  ['127.0.0.1', PUBLIC],
  ['10.0.0.1', PUBLIC, '2606:4700::1'],
  ['::1', PUBLIC],
]

export const HOSTILE_URLS: HostileUrl[] = [
  ...LOOPBACK_HOSTS.flatMap((host) => [reachable(`https://${host}:${CANARY_PORT}/`), reachable(`http://${host}/`)]),
  ...LOCAL_NAMES.map((host) => ({ ...reachable(`https://${host}/`), resolvesTo: ['127.0.0.1'] })),
  ...[...PRIVATE_V4, ...PRIVATE_V4_NOTATIONS].map((host) => reachable(`https://${host}/latest/meta-data/`)),
  ...PRIVATE_V6.map((address) => reachable(`https://[${address}]/`)),
  ...WITH_CREDENTIALS.map(reachable),
  ...ODD_SPELLINGS.map(reachable),
  ...DENIED_PORTS.map((port) => reachable(`https://${PUBLIC}:${port}/`)),
  { ...reachable('https://trailing-dot.example./'), resolvesTo: [PUBLIC] },
  { ...reachable('http://not-encrypted.example/'), resolvesTo: [PUBLIC] },
  ...ANSWERS.map((resolvesTo, number) => ({ ...reachable(`https://name-${number}.example/`), resolvesTo })),
  ...UNREACHABLE.map((host) => ({ url: `https://${host}/`, isReachable: false })),
  ...NOT_WEB.map((url) => ({ url, isReachable: false })),
]

/** Targets of redirects: the first request is allowed, the redirect is not. */
export const REDIRECTS_TO = [
  'http://127.0.0.1/',
  'http://localhost/',
  'http://[::1]/',
  'http://0x7f.1/',
  'http://10.0.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00:ec2::254]/',
  '//127.0.0.1/',
]

/** The guard must allow these, or a guard that refuses everything would pass. */
export const HARMLESS_URLS: HostileUrl[] = [
  reachable(`https://${PUBLIC}/`),
  reachable(`https://${PUBLIC}:${CANARY_PORT}/`),
  reachable('https://[2606:4700::1111]/'),
  reachable(`https://[::ffff:${PUBLIC}]/`),
  { ...reachable('https://hooks.example/'), resolvesTo: [PUBLIC, '2606:4700::1111'] },
]

function reachable(url: string): HostileUrl {
  return { url, isReachable: true }
}
