// Search and copying on the pages of `/api/docs`, which read well without either. Nothing is written as HTML.
const search = document.querySelector('.search')
const field = document.getElementById('docs-search')
const found = document.getElementById('docs-found')
const hits = document.getElementById('docs-hits')
const pages = document.getElementById('docs-pages')
const address = document.querySelector('script[data-calls]').dataset.calls
const most = 30

let calls
const readCalls = () => (calls ??= fetch(address).then((answer) => answer.json()))

function made(name, text, more = {}) {
  return Object.assign(document.createElement(name), { textContent: text, ...more })
}

function rowOf({ summary, address: where, href }) {
  const row = made('li', '')
  const link = made('a', '', { href })
  link.append(made('span', summary), made('code', where))
  row.append(link)
  return row
}

function show(isAsked) {
  pages.hidden = isAsked
  hits.hidden = !isAsked
}

const wordsIn = (text) => text.toLowerCase().split(/\s+/).filter(Boolean)

async function look() {
  const words = wordsIn(field.value)
  if (words.length === 0) {
    show(false)
    found.textContent = ''
    return
  }
  try {
    const all = await readCalls()
    const fits = all.filter(({ name, summary, subject, address: where }) => {
      const text = `${name} ${summary} ${subject} ${where}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
    // Somebody may have typed on meanwhile.
    if (wordsIn(field.value).join(' ') !== words.join(' ')) return
    show(true)
    hits.replaceChildren(...fits.slice(0, most).map(rowOf))
    const more = fits.length > most ? `, the first ${most} of them here` : ''
    found.textContent = fits.length === 1 ? '1 call' : `${fits.length} calls${more}`
  } catch {
    calls = undefined
    found.textContent = 'The calls cannot be read at the moment. Please try again.'
  }
}

search.hidden = false
field.addEventListener('input', () => void look())
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.closest('input')) return
  event.preventDefault()
  field.focus()
})
addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || event.target !== field) return
  field.value = ''
  void look()
})
// What was found may be on the page that is shown already, below the menu of a narrow window.
hits.addEventListener('click', () => {
  field.value = ''
  void look()
})

const wide = matchMedia('(min-width: 60rem)')
const menu = document.querySelector('.menu')
const fold = () => (menu.open = wide.matches)
wide.addEventListener('change', fold)
fold()
field.addEventListener('focus', () => (menu.open = menu.open || wide.matches))

for (const block of document.querySelectorAll('pre.run')) {
  const box = made('div', '', { className: 'copy' })
  const button = made('button', 'Copy', { type: 'button' })
  const said = made('span', '')
  said.setAttribute('role', 'status')
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(block.textContent)
      said.textContent = 'Copied'
    } catch {
      getSelection().selectAllChildren(block)
      said.textContent = 'Selected: please copy it yourself'
    }
  })
  box.append(made('span', 'Shell', { className: 'kind' }), said, button)
  block.before(box)
}
