import { expect, test } from 'vitest'
import { groupTags } from './tag-groups.ts'

const tag = (name: string, count = 2) => ({ tag: name, count })

function shown(...tags: { tag: string; count: number }[]) {
  return groupTags(tags).map(
    ({ kind, text, tags: members }) => `${kind} ${text}: ${members.map(({ tag }) => tag).join(' ')}`,
  )
}

test('tags with a common prefix are one entry, where the first of them was', () => {
  expect(
    shown(tag('login'), tag('signup-1', 1), tag('reset'), tag('signup-2', 1), tag('order42', 1), tag('order7')),
  ).toEqual([
    'tag login: login',
    'prefix +signup…: signup-1 signup-2',
    'tag reset: reset',
    'prefix +order…: order42 order7',
  ])
})

test('a tag joins those that begin with its name', () => {
  expect(shown(tag('signup'), tag('signup-1'))).toEqual(['prefix +signup…: signup signup-1'])
})

test('random tags have no prefix, and several that were used once are folded', () => {
  const random = ['7f3a-91', 'a1b2c3', '0199a3c2', 'ab12']
  expect(shown(tag('login'), ...random.map((name) => tag(name, 1)))).toEqual([
    'tag login: login',
    `once Used once: ${random.join(' ')}`,
  ])
  expect(shown(tag('login', 1), tag('reset', 1))).toEqual(['tag login: login', 'tag reset: reset'])
})

test('every tag is in exactly one entry', () => {
  const tags = ['a', 'a-', 'a-b', 'größe-1', 'größe_2', '__proto__', 'constructor', '', '-', 'x', 'y', 'z'].map(
    (name) => tag(name, 1),
  )
  const members = groupTags(tags).flatMap((entry) => entry.tags)
  expect(members.length).toBe(tags.length)
  expect(new Set(members)).toEqual(new Set(tags))
})
