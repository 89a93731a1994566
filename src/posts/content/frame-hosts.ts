/** Whose players posts may show, in frames; the pages' content security policy allows these. */
export const VIDEO_HOSTS = ["www.youtube-nocookie.com", "www.youtube.com", "player.vimeo.com"];
