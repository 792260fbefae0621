import { expect, test } from 'vitest'
import { parseCalendar } from './calendar-event.ts'
import { purposeText, whenText } from './calendar-text.ts'

function calendar(...lines: string[]): string {
  return ['BEGIN:VCALENDAR', 'METHOD:REQUEST', 'BEGIN:VEVENT', ...lines, 'END:VEVENT', 'END:VCALENDAR'].join('\r\n')
}

test('an invitation is read with folded lines, quoted parameters and escapes', () => {
  const event = parseCalendar(
    calendar(
      'SUMMARY:Review\\, part 1\\nand',
      '  more',
      'LOCATION;LANGUAGE=en:Room 1\\; second floor',
      'ORGANIZER;CN="Doe; Ada: boss":MAILTO:ada@shop.example',
      'DTSTART;TZID="Europe/Berlin":20261116T100000',
      'DTEND;TZID=Europe/Berlin:20261116T113000',
      'RRULE:INTERVAL=2;FREQ=weekly',
      'BEGIN:VALARM',
      'SUMMARY:Alarm',
      'END:VALARM',
    ),
  )!
  expect(event).toMatchObject({
    method: 'REQUEST',
    summary: 'Review, part 1 and more',
    location: 'Room 1; second floor',
    organizer: 'Doe; Ada: boss <ada@shop.example>',
    repeats: 'WEEKLY',
  })
  expect(whenText(event)).toBe('Monday 16 November 2026, 10:00 to 11:30 (Europe/Berlin)')
  expect(purposeText(event)).toBe('Invitation')
})

test.each([
  [
    ['DTSTART:20261116T230000Z', 'DTEND:20261117T010000Z'],
    'Monday 16 November 2026, 23:00 to Tuesday 17 November 2026, 01:00 (UTC)',
  ],
  [['DTSTART;VALUE=DATE:20261116', 'DTEND;VALUE=DATE:20261117'], 'Monday 16 November 2026, all day'],
  [
    ['DTSTART;VALUE=DATE:20261116', 'DTEND;VALUE=DATE:20261119'],
    'Monday 16 November 2026 to Wednesday 18 November 2026',
  ],
  [['DTSTART:20261116T090000Z', 'DURATION:PT1H30M'], 'Monday 16 November 2026, 09:00 to 10:30 (UTC)'],
  [
    ['DURATION:PT45M', 'DTSTART;TZID=Europe/Berlin:20261116T090000'],
    'Monday 16 November 2026, 09:00 to 09:45 (Europe/Berlin)',
  ],
  [
    ['DTSTART:20261116T230000Z', 'DURATION:+P1DT2H0M0S'],
    'Monday 16 November 2026, 23:00 to Wednesday 18 November 2026, 01:00 (UTC)',
  ],
  [['DTSTART;VALUE=DATE:20261116', 'DURATION:P1D'], 'Monday 16 November 2026, all day'],
  [['DTSTART;VALUE=DATE:20261116', 'DURATION:P1W'], 'Monday 16 November 2026 to Sunday 22 November 2026'],
  [
    ['DTSTART:20261116T090000Z', 'DTEND:20261116T100000Z', 'DURATION:PT5H'],
    'Monday 16 November 2026, 09:00 to 10:00 (UTC)',
  ],
  ...['-PT1H', 'PT', 'P', 'PT0S', '1H', 'PT1H1H', `PT${'9'.repeat(400)}H`].map((text): [string[], string] => [
    ['DTSTART:20261116T090000Z', `DURATION:${text}`],
    'Monday 16 November 2026, 09:00 (UTC)',
  ]),
  [['DTSTART:99991231T090000Z', 'DURATION:P999999W'], expect.stringContaining('31 December 9999, 09:00 to ')],
  [['DTSTART:20261116T100000'], 'Monday 16 November 2026, 10:00 (no time zone)'],
  [['DTSTART:tomorrow'], null],
  [['SUMMARY:x'], null],
])('%j is %j', (lines, when) => {
  expect(whenText(parseCalendar(calendar(...lines))!)).toEqual(when)
})

test('a cancelled event says so, and what is no event is null', () => {
  expect(purposeText(parseCalendar(calendar('SUMMARY:x', 'STATUS:CANCELLED'))!)).toBe('Cancelled event')
  for (const text of ['', 'x', 'BEGIN:VCALENDAR\nEND:VCALENDAR', 'SUMMARY:x', ':\n;\n"'])
    expect(parseCalendar(text)).toBeNull()
})

test('long and hostile files are cut', () => {
  const event = parseCalendar(
    calendar(`SUMMARY:${'x'.repeat(10_000)}`, ...Array.from({ length: 10_000 }, () => 'X:y')),
  )!
  expect(event.summary).toHaveLength(500)
  expect(parseCalendar('"'.repeat(1_000_000))).toBeNull()
  expect(parseCalendar('A;'.repeat(500_000))).toBeNull()
})
