import { expect, test } from 'vitest'
import { childrenOf, escapeXml, parseXml, textOf } from './s3-xml.ts'

test('elements, text, empty elements, attributes and entities', () => {
  const xml = `\uFEFF<?xml version="1.0" encoding="UTF-8"?>
    <List xmlns="http://s3.test/" xmlns:x='y'><Empty/><None></None>
      <Key>a &amp;amp; &#65;&#x1F600; &lt;b&gt;</Key><Key>c</Key></List>\n`
  const list = parseXml(xml)
  expect(list.name).toBe('List')
  expect(childrenOf(list, 'Key').map(({ text }) => text)).toEqual(['a &amp; A😀 <b>', 'c'])
  expect([textOf(list, 'Empty'), textOf(list, 'None'), textOf(list, 'Absent')]).toEqual(['', '', null])
})

test('escaped text is decoded to the original', () => {
  const text = `<a>&amp;"'</a>]]>`
  expect(parseXml(`<Key>${escapeXml(text)}</Key>`).text).toBe(text)
})

test.each([
  '',
  'text',
  '<a>',
  '</a>',
  '<a></b>',
  '<a/><b/>',
  '<a></a>text',
  '<a',
  '<a b>',
  '<a>&unknown;</a>',
  '<a>&amp</a>',
  '<a>&#x110000;</a>',
  '<a><!-- comment --></a>',
  '<a><![CDATA[x]]></a>',
  '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
  '<a>&constructor;</a>',
])('%s is refused', (xml) => {
  expect(() => parseXml(xml)).toThrow('The storage’s response')
})

test('a long response is parsed', () => {
  const contents = '<Contents><Key>raw/1</Key></Contents>'.repeat(20_000)
  expect(childrenOf(parseXml(`<List>${contents}</List>`), 'Contents')).toHaveLength(20_000)
  expect(() => parseXml(`<List>${'<'.repeat(100_000)}`)).toThrow('not valid S3 XML')
  expect(() => parseXml(`<List${' a="b"'.repeat(50_000)}`)).toThrow('not valid S3 XML')
})
