/** Hosts allowed in video iframes. The content security policy allows them too. */
export const VIDEO_HOSTS = ["www.youtube-nocookie.com", "www.youtube.com", "player.vimeo.com"];
