import { vi } from 'vitest'

// What the control changes in the program. Import it before anything that loads the program.

export const faults = {
  /** Mail is served as it is: without cleaning and without a policy. */
  servesRawMail: false,
}

vi.mock('../../src/domain/html/clean-html.ts', async (load) => {
  const original = await load<typeof import('../../src/domain/html/clean-html.ts')>()
  const cleanHtml: typeof original.cleanHtml = (html, options) =>
    faults.servesRawMail ? { ...original.cleanHtml(html, options), html } : original.cleanHtml(html, options)
  return { ...original, cleanHtml }
})

vi.mock('../../src/http/view-page.ts', async (load) => {
  const original = await load<typeof import('../../src/http/view-page.ts')>()
  const viewHeaders = (options: Parameters<typeof original.viewHeaders>[0]) =>
    faults.servesRawMail ? { 'content-type': options.contentType } : original.viewHeaders(options)
  const mailPage = (clean: Parameters<typeof original.mailPage>[0]) =>
    faults.servesRawMail ? clean.html : original.mailPage(clean)
  return { ...original, viewHeaders, mailPage }
})
