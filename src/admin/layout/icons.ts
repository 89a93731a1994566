import { type Html, raw } from "../../text/html";

const DRAWINGS = {
  home: '<path d="M3 9.2 10 3l7 6.2M5 8v8.5h10V8"/>',
  posts: '<path d="M4 4.5h12M4 8.2h12M4 11.8h12M4 15.5h7"/>',
  pages: '<path d="M5 2.8h6.5L15.5 7v10.2H5zM11.2 3v4.3h4.2"/>',
  media:
    '<rect x="3" y="4" width="14" height="12" rx="1.5"/><path d="m3.5 14 4-4 3 3 2.5-2.5 3.5 3.5"/><circle cx="13" cy="7.6" r="1"/>',
  komments: '<path d="M3.5 4h13v9.5H9.5L6 16.8v-3.3H3.5z"/>',
  messages: '<rect x="3" y="4.5" width="14" height="11" rx="1.5"/><path d="m3.5 6 6.5 5 6.5-5"/>',
  webhooks: '<path d="M4 10h7M8 6.5 11.5 10 8 13.5M13 4h3.5v12H13"/>',
  reach:
    '<circle cx="10" cy="10" r="1.6"/><path d="M6.8 6.8a4.5 4.5 0 0 0 0 6.4M13.2 6.8a4.5 4.5 0 0 1 0 6.4M4.3 4.3a8 8 0 0 0 0 11.4M15.7 4.3a8 8 0 0 1 0 11.4"/>',
  transfer: '<path d="M3.5 7h10M10.5 3.5 14 7l-3.5 3.5M16.5 13h-10M9.5 9.5 6 13l3.5 3.5"/>',
  topics: '<path d="M3.5 3.5h6l7 7-6 6-7-7zM7 7h.01"/>',
  settings:
    '<path d="M3 6h7M14.5 6H17M3 14h2.5M10 14h7"/><circle cx="12.2" cy="6" r="2.2"/><circle cx="7.8" cy="14" r="2.2"/>',
  key: '<circle cx="6.5" cy="13.5" r="3.2"/><path d="m8.8 11.2 7.4-7.4M13 7l2.6 2.6"/>',
  apps: '<rect x="6" y="2.8" width="8" height="14.4" rx="1.5"/><path d="M9 14.6h2"/>',
  jobs: '<circle cx="10" cy="10" r="7"/><path d="M10 6v4.3l2.8 1.9"/>',
  dots: '<path stroke-width="2.5" d="M4.5 10h.01M10 10h.01M15.5 10h.01"/>',
  backups: '<path d="M3.5 8.5h13v8h-13zM5.5 5.5h9M7.5 2.8h5M8 12h4"/>',
  about: '<circle cx="10" cy="10" r="7"/><path d="M10 9.2V14M10 6.3h.01"/>',
  write: '<path d="m4 16 .8-3.4L13.6 3.8l2.6 2.6-8.8 8.8z"/>',
  search: '<circle cx="9" cy="9" r="5"/><path d="m12.8 12.8 4 4"/>',
  person: '<circle cx="10" cy="7" r="3.2"/><path d="M3.8 16.8c.6-3.2 3-5 6.2-5s5.6 1.8 6.2 5"/>',
  people:
    '<circle cx="7.5" cy="7" r="2.8"/><path d="M2.3 16c.5-2.9 2.5-4.5 5.2-4.5s4.7 1.6 5.2 4.5M12.2 4.4a2.8 2.8 0 0 1 0 5.2M14.5 11.9c1.8.6 2.9 2 3.2 4.1"/>',
  more: '<path d="M4 6h12M4 10h12M4 14h12"/>',
  open: '<path d="M8 4.5H4.5v11h11V12M11 4h5v5M16 4l-7 7"/>',
  choose: '<path d="m6.5 8 3.5-3.5L13.5 8M6.5 12l3.5 3.5 3.5-3.5"/>',
  add: '<path d="M10 4v12M4 10h12"/>',
  up: '<path d="M10 16V4.5M5 9.5l5-5 5 5"/>',
  down: '<path d="M10 4v11.5M5 10.5l5 5 5-5"/>',
  close: '<path d="m5.5 5.5 9 9M14.5 5.5l-9 9"/>',
} as const;

export type IconName = keyof typeof DRAWINGS;

/** Screen readers skip the icon, so the text or label next to the icon must name the action. */
export function icon(name: IconName): Html {
  return raw(
    `<svg class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">${DRAWINGS[name]}</svg>`,
  );
}
