import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkLinks } from '../../../../site/check-links.ts'
import { linksOf } from '../../../../site/markdown.ts'
import { FIRST_PAGES, navigation, PAGES, pageText, REPOSITORY_URL, siteLink } from '../../../../site/pages.ts'
import { REPOSITORY } from '../support/markdown.ts'
import { temporaryFolder } from '../support/server.ts'

const read = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8')

test('every page of the site is in its navigation once', () => {
  const listed = [...FIRST_PAGES, ...navigation().flatMap(({ items }) => items)].map(({ link }) => link)
  const pages = Array.from(PAGES.values(), (page) => `/${page}`)
  expect(pages.length).toBeGreaterThan(35)
  expect(listed.toSorted()).toEqual(pages.toSorted())
})

test('no two Markdown files become the same page', () => {
  expect(new Set(PAGES.values()).size).toBe(PAGES.size)
})

test('every link of every page leads to a page, to an image, or to a file in the repository', () => {
  const links = Array.from(PAGES.keys()).flatMap((file) => linksOf(pageText(file, read(file))))
  expect(links).toContain('/guide/vitest.md')
  expect(links).toContain('/operate/self-hosting.md#starttls')
  expect(links).toContain('/images/failing-test.svg')
  expect(links).toContain(`${REPOSITORY_URL}/tree/main/examples/vitest`)
  const expected = /^(?:https?:|\/[a-z][\w/-]*\.md(?:#|$)|\/images\/[\w-]+\.(?:png|svg)$|#)/
  expect(links.filter((link) => !expected.test(link))).toEqual([])
})

test('links are resolved from the file that has them', () => {
  expect(siteLink('docs/guide/ci.md', '../reference/sdk.md#a-message')).toBe('/reference/sdk.md#a-message')
  expect(siteLink('docs/guide/ci.md', '../../README.md')).toBe('/index.md')
  expect(siteLink('README.md', 'docs/README.md')).toBe('/all-pages.md')
  expect(siteLink('SECURITY.md', 'packages/server/test/mcp.test.ts')).toBe(
    `${REPOSITORY_URL}/blob/main/packages/server/test/mcp.test.ts`,
  )
  for (const link of ['https://example.com/a.md', 'mailto:qa@example.com', '#here']) {
    expect(siteLink('README.md', link)).toBe(link)
  }
  expect(siteLink('docs/faq.md', 'guide/gone.md')).toBe(null)
})

test('a page has the links of the site, names instead of file names, and its code as it was', () => {
  const page = `# Here
[sdk.md](../reference/sdk.md#a-message), [\`wait\`](../reference/cli.md "title"), [sdk.md](sdk.md) and \`[a](../errors.md)\`
<img alt="../errors.md" src="../images/failing-test.svg">
\`\`\`md
[b](../errors.md)
\`\`\`
[c]: ../errors.md
`
  expect(pageText('docs/guide/ci.md', page)).toBe(`---
edit: ${REPOSITORY_URL}/edit/main/docs/guide/ci.md
aside: false
---
# Here
[SDK](/reference/sdk.md#a-message), [\`wait\`](/reference/cli.md "title"), [sdk.md](sdk.md) and \`[a](../errors.md)\`
<img alt="../errors.md" src="/images/failing-test.svg">
\`\`\`md
[b](../errors.md)
\`\`\`
[c]: /errors.md
`)
})

test('control: broken links of built pages are found, at the root and under a path', () => {
  for (const base of ['/', '/mailhatch/']) {
    const built = builtSite({
      'index.html': `<h1 id="start">Start</h1> <a href="${base}guide/ci.html#jobs">good</a> <a href="#start">good</a>
        <img src="${base}assets/a.png"> <a href="https://example.com/gone">elsewhere</a> <a href="${base}guide/">good</a>
        <a href="${base}guide/gone.html">b</a> <a href="${base}guide/ci.html#gone">c</a> <img src="${base}assets/b.png">`,
      'guide/ci.html': `<h2 id="jobs">Jobs</h2> <a href="./gone.html">d</a> <a href="/outside.html">e</a> <source srcset="f.png">`,
      'guide/index.html': '',
      'assets/a.png': '',
    })
    const { pages, links, broken } = checkLinks(built, base)
    expect({ pages, links }).toEqual({ pages: 3, links: 10 })
    expect(broken).toEqual([
      'guide/ci.html: ./gone.html',
      'guide/ci.html: /outside.html',
      'guide/ci.html: f.png',
      `index.html: ${base}guide/gone.html`,
      `index.html: ${base}guide/ci.html#gone`,
      `index.html: ${base}assets/b.png`,
    ])
  }
})

const SCRIPT = join(REPOSITORY, 'scripts/build-site.ts')

test('docs:site has help, and says in plain words what is wrong with its options', () => {
  expect(execFileSync(process.execPath, [SCRIPT, '--help'], { encoding: 'utf8' })).toContain(
    'npm run docs:site [-- --base <path>]',
  )
  for (const [words, message] of [
    [['--bas'], "Unknown option '--bas'"],
    [['--base', 'docs'], '--base must begin and end with a slash, such as /docs/: docs'],
  ] as const) {
    const { status, stderr } = spawnSync(process.execPath, [SCRIPT, ...words], { encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(message) })
    expect(stderr).toContain('npm run docs:site failed. npm run docs:site -- --help lists its options.')
    expect(stderr).not.toMatch(/^ +at /m)
  }
})

function builtSite(files: Record<string, string>): string {
  const folder = temporaryFolder(onTestFinished)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}
