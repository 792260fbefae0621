import { styleText } from 'node:util'

type Format = Parameters<typeof styleText>[0]

export const COLOR_CHOICES = ['auto', 'always', 'never'] as const
export type ColorChoice = (typeof COLOR_CHOICES)[number]

/** Set once, before a command runs. */
let choice: ColorChoice = 'auto'

export function chooseColor(chosen: ColorChoice): void {
  choice = chosen
}

/** Colours trusted text if the output is a terminal; respects NO_COLOR and FORCE_COLOR. */
export function paint(format: Format, text: string): string {
  if (choice === 'never') return text
  return choice === 'always'
    ? styleText(format, text, { validateStream: false })
    : styleText(format, text, { stream: process.stdout })
}
