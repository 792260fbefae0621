import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { anchorsOf, brokenLinks, hiddenWords, REPOSITORY, repositoryFiles } from '../support/markdown.ts'

const read = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8')

const PAGES = repositoryFiles(/\.md$/)

/** Where the name of a page may appear: texts, comments, help and configuration. */
const TEXTS = repositoryFiles(/\.(?:md|tsx?|js|jsonc?|ya?ml|sql|html|css)$|^\.env\.example$|^Dockerfile/)

/** `docs/….md` as written anywhere, but not as the end of a longer path. */
const NAMED_PAGE = /(?<![\w.-]|[\w-]\/)docs\/[\w./-]+\.md/g

function missingPages(text: string): string[] {
  return Array.from(text.matchAll(NAMED_PAGE), ([page]) => page).filter((page) => !existsSync(join(REPOSITORY, page)))
}

test('every relative link in a Markdown page leads to a file, and its anchor to a heading', () => {
  expect(PAGES.length).toBeGreaterThan(30)
  expect(PAGES.flatMap((path) => brokenLinks(path, read(path)).map((link) => `${path}: ${link}`))).toEqual([])
})

test('control: broken links of every form are found, and good ones are not', () => {
  const broken = [
    'gone.md',
    'errors.md#no-such-heading',
    '#nor-here',
    'gone.png',
    'gone-reference.md',
    'images#folder',
    'gone.svg',
  ]
  const page = `# Here
    [a](gone.md) [b](errors.md#no-such-heading) [c](#nor-here) ![d](gone.png) [e](images#folder) <img alt="f" src="gone.svg">
    [good](errors.md) [good](#here) [good](../README.md) [good](images) [good](https://example.com/gone.md)
    \`[code](gone-in-code.md)\`
\`\`\`md
[code](gone-in-a-block.md)
\`\`\`
[label]: gone-reference.md
`
  expect(brokenLinks('docs/README.md', page).toSorted()).toEqual(broken.toSorted())
})

test('anchors are those that GitHub makes', () => {
  const page =
    '# What `GET /v1/x` does, and why\n## Twice\n## Twice\n```sh\n# no heading\n```\n### Ärger – [linked](a.md)\n'
  expect([...anchorsOf(page)]).toEqual(['what-get-v1x-does-and-why', 'twice', 'twice-1', 'ärger--linked'])
})

test('every docs page that a text, a comment or a help text names exists', () => {
  const named = TEXTS.flatMap((path) => Array.from(read(path).matchAll(NAMED_PAGE)))
  expect(named.length).toBeGreaterThan(30)
  const missing = TEXTS.flatMap((path) => missingPages(read(path)).map((page) => `${path}: ${page}`))
  expect(missing).toEqual([])
})

test('control: a named page that does not exist is found', () => {
  const gone = ['docs', 'gone.md'].join('/')
  expect(missingPages(`See ${gone}, docs/errors.md and other/${gone}.`)).toEqual([gone])
})

test('no page has words in angle brackets that a reader cannot see', () => {
  expect(PAGES.flatMap((path) => hiddenWords(read(path)).map((word) => `${path}: ${word}`))).toEqual([])
})

test('control: such words are found in text, and not in code', () => {
  const page =
    'Add _mailhatch.<domain>, or write to <qa@mailhatch.test>.<br> `<id>` ``a ` <b>`` <!-- x -->\n```sh\ncurl <url>\n```\n'
  expect(hiddenWords(page)).toEqual(['<domain>', '<qa@mailhatch.test>'])
})

test('docs/README.md lists every page of docs/ once', () => {
  const index = read('docs/README.md')
  const listed = Array.from(index.matchAll(/^[-|] *\[[^\]]+\]\(([^):]+\.md)\)/gm), ([, target]) =>
    join('docs', target!),
  )
  const pages = PAGES.filter((path) => path.startsWith('docs/') && path !== 'docs/README.md')
  expect(listed.filter((path) => path.startsWith('docs/')).toSorted()).toEqual(pages.toSorted())
})
