/** The name that is drawn; an installation may be called otherwise. */
export const drawnName = 'Sendreel'

/**
 * Our own drawing in a box of 30.55 by 26: a play sign in a tile, and beside it an arc that is thick where it was watched and a thread
 * where it was not. The name beside it has a box of 587.5 by 260, ten units for one of the sign, so that it has the same form and
 * width in every skin: Open Sans Bold.
 */
export const logo = {
  tile: { x: 1, y: 2, width: 22, height: 22, rx: 6.5 },
  play: 'M9 8.4v9.2c0 .8.9 1.3 1.6.9l7-4.6c.6-.4.6-1.3 0-1.7l-7-4.7c-.7-.5-1.6 0-1.6.9Z',
  watched: 'M25.8 5.6a11.5 11.5 0 0 1 2 9.4',
  missing: 'M27.4 16.4a11.5 11.5 0 0 1-2 4.3',
  name: 'M66 153q0 9-4 16q-5 6-13 10q-8 3-20 3q-5 0-10 0q-5-1-10-2q-4-2-9-4v-20q8 4 15 6q8 3 16 3q5 0 8-2q3-1 5-3q1-3 1-6q0-4-2-6q-3-3-7-5q-5-3-10-5q-4-2-8-5q-4-2-8-5q-4-4-6-9q-2-5-2-12q0-9 4-15q4-6 12-10q7-3 18-3q8 0 15 2q7 1 15 5l-7 16q-7-2-13-4q-5-1-11-1q-4 0-7 1q-3 1-4 3q-1 3-1 6q0 3 2 6q2 2 6 5q4 2 11 5q7 3 13 7q5 4 8 10q3 5 3 13zM111 102q10 0 18 5q8 4 12 11q4 8 4 20v10h-49q0 9 5 14q5 5 14 5q7 0 13-2q7-1 13-4v16q-6 3-12 4q-6 1-15 1q-12 0-21-4q-9-4-14-13q-5-9-5-22q0-13 5-22q5-9 13-14q8-5 19-5zM111 117q-6 0-10 4q-4 4-5 13h30q0-5-2-9q-2-3-5-5q-3-3-8-3zM203 102q12 0 20 7q7 7 7 22v50h-21v-45q0-8-3-12q-3-5-9-5q-10 0-13 7q-4 6-4 19v36h-21v-77h16l3 10h1q3-4 6-7q4-2 8-3q5-2 10-2zM272 182q-12 0-21-10q-8-10-8-29q0-20 9-30q8-11 21-11q5 0 10 2q4 2 7 4q3 3 5 6h1q-1-2-1-7q-1-4-1-9v-24h21v107h-16l-4-10h-1q-2 3-5 6q-3 2-7 4q-4 1-10 1zM280 166q8 0 12-6q4-5 4-15v-2q0-11-4-17q-3-6-13-6q-7 0-10 6q-4 6-4 17q0 11 4 17q4 6 11 6zM377 102q2 0 4 1q2 0 3 0l-1 20q-1-1-3-1q-2 0-4 0q-4 0-8 1q-3 1-6 4q-3 2-5 6q-2 3-2 9v39h-21v-77h16l3 13h1q2-4 6-7q3-4 8-6q4-2 9-2zM426 102q10 0 18 5q8 4 12 11q4 8 4 20v10h-49q0 9 5 14q5 5 14 5q7 0 13-2q7-1 13-4v16q-6 3-12 4q-6 1-15 1q-12 0-21-4q-9-4-14-13q-5-9-5-22q0-13 5-22q5-9 13-14q8-5 19-5zM426 117q-6 0-10 4q-4 4-5 13h30q0-5-2-9q-2-3-5-5q-3-3-8-3zM506 102q10 0 18 5q8 4 12 11q4 8 4 20v10h-49q0 9 5 14q5 5 14 5q7 0 13-2q7-1 13-4v16q-6 3-12 4q-6 1-15 1q-12 0-21-4q-9-4-14-13q-5-9-5-22q0-13 5-22q5-9 13-14q8-5 19-5zM506 117q-6 0-10 4q-4 4-5 13h30q0-5-2-9q-2-3-5-5q-3-3-8-3zM575 181h-21v-107h21z',
}
