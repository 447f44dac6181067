import { MantineProvider, NativeSelect } from '@mantine/core'
import { useEffect, useState, type ReactNode } from 'react'
import { options } from '#web/layout/settings.ts'
import { PageHead } from '#web/ui/PageHead.tsx'
import { theme as mantineTheme, variables } from '#web/ui/look/theme.ts'
import classes from './Gallery.module.css'
import { Controls, Fields } from './controls.tsx'
import { Data, States } from './data.tsx'

type Skin = (typeof options.skin)[number]
type Theme = 'light' | 'dark'
const themes = ['light', 'dark'] as const satisfies readonly Theme[]

/** Every widget in every skin and both themes, to look at while one works on them. No part of a production build. */
export function Gallery() {
  const [only, setOnly] = useState('')
  useNoScheme()
  const blocks = options.skin.flatMap((skin) =>
    themes.map((theme) => ({ skin, theme, name: `${skin} ${theme}` })),
  )
  return (
    <main className={classes.gallery} id="content">
      <PageHead
        title="Widgets"
        lead="Each block has a skin and a theme of its own, whatever this browser has chosen."
        actions={
          <NativeSelect
            aria-label="Skin and theme"
            value={only}
            onChange={(event) => setOnly(event.currentTarget.value)}
            data={[{ value: '', label: 'All skins and themes' }, ...blocks.map(({ name }) => name)]}
          />
        }
      />
      {blocks
        .filter(({ name }) => only === '' || only === name)
        .map(({ skin, theme, name }) => (
          <Preview key={name} skin={skin} theme={theme}>
            <h2>{name}</h2>
            <Controls />
            <Fields />
            <Data />
            <States />
          </Preview>
        ))}
    </main>
  )
}

/**
 * The library declares its variables once, on the page, where they take the colours of the page. A provider of its
 * own declares them again on the block, where the same words mean the colours of the block.
 */
function Preview({ skin, theme, children }: { skin: Skin; theme: Theme; children: ReactNode }) {
  const [block, setBlock] = useState<HTMLElement | null>(null)
  return (
    <section
      ref={setBlock}
      className={classes.block}
      aria-label={`${skin} ${theme}`}
      data-preview
      data-skin={skin}
      data-bs-theme={theme}
      data-mantine-color-scheme={theme}
    >
      {block && (
        <MantineProvider
          theme={mantineTheme}
          cssVariablesResolver={variables}
          cssVariablesSelector={`[data-preview][data-skin="${skin}"]`}
          forceColorScheme={theme}
          getRootElement={() => block}
          withGlobalClasses={false}
        >
          {children}
        </MantineProvider>
      )}
    </section>
  )
}

/** Where the page itself has a scheme, rules for it reach into blocks of the other one. */
function useNoScheme(): void {
  useEffect(() => {
    const html = document.documentElement
    const before = html.getAttribute('data-mantine-color-scheme')
    html.removeAttribute('data-mantine-color-scheme')
    return () => html.setAttribute('data-mantine-color-scheme', before ?? 'light')
  }, [])
}
