/** Which URLs a style may contain. Other URLs are made invalid, which invalidates their declaration. */
export type CssRules = { allowsUrl: (url: string) => boolean }

/**
 * Makes untrusted styles safe: they load nothing from the network. Unsafe parts are replaced by names that browsers do
 * not know instead of being removed, because the text around a removed part could join to a new rule.
 */
export function cleanCss(css: string, { allowsUrl }: CssRules): string {
  return (
    css
      .replaceAll(COMMENT, ' ')
      // An escape can spell any keyword, and mail rarely needs one.
      .replaceAll('\\', '')
      .replaceAll('<', ' ')
      .replaceAll(IMPORT, '@blocked')
      .replaceAll(FUNCTION, (whole, name: string, url: string) =>
        name.toLowerCase() === 'url' && allowsUrl(url.toLowerCase()) ? whole : `blocked(${url}`,
      )
  )
}

const COMMENT = /\/\*[\s\S]*?(?:\*\/|$)/g
const IMPORT = /@import/gi
/** Functions that load a resource, with the beginning of its URL. */
const FUNCTION = /(url|src|image-set|image|cross-fade|element|expression|attr)\(\s*["']?\s*([\w+.:/-]{0,40})/gi
