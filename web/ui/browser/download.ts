/** The browser saves it where it saves everything. */
export function offer(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** The same with today's date in the name, as the reader's calendar has it: people-2026-11-23.csv. */
export function offerDated(file: Blob, what: string, ending: string): void {
  offer(file, `${what}-${new Date().toLocaleDateString('en-CA', { dateStyle: 'short' })}.${ending}`)
}
