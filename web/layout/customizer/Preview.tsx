import type { Choices } from '../settings.ts'
import './preview.css'

type Props = { choices: Choices; theme: 'light' | 'dark' }

const items = [1, 2, 3, 4]

/** The console in small. Its colours, corners and widths are the tokens themselves, so that it cannot show another look. */
export function Preview({ choices, theme }: Props) {
  const { skin, menuColor, topbarColor, orientation, size } = choices
  return (
    <span
      className="cz-preview"
      aria-hidden
      data-preview
      data-skin={skin}
      data-bs-theme={theme}
      data-menu-color={menuColor}
      data-topbar-color={topbarColor}
      data-drawn={orientation === 'horizontal' ? 'horizontal' : size}
    >
      <span className="cz-nav">
        {items.map((item) => (
          <i key={item} />
        ))}
      </span>
      <span className="cz-bar">
        <i />
        <i />
        <i />
      </span>
      <span className="cz-page">
        <i className="cz-line" />
        <span className="cz-box">
          <i className="cz-line" />
          <i className="cz-line" />
          <i className="cz-press" />
        </span>
      </span>
    </span>
  )
}
