/** Leads to the button of the page that creates something; it stays marked until it is pressed or left. */
export function markCreate(): void {
  const button = document.querySelector<HTMLElement>('main [data-create]')
  if (!button) return
  button.focus()
  button.dataset['marked'] = ''
  const unmark = () => delete button.dataset['marked']
  for (const type of ['click', 'blur']) button.addEventListener(type, unmark, { once: true })
}
