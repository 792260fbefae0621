/** Vite inlines the text of a file that is imported with `?raw`. */
declare module '*.md?raw' {
  const text: string
  export default text
}
