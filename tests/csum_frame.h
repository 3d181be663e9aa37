/* Frames from a line of words, "eth ip4 udp vxlan eth ip6 tcp 100": as they come in, and as they must go out. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define FRAME_BYTES 66000
#define FRAME_LAYERS 16

struct frame_layer {
	const struct frame_word *word;
	unsigned int off;
};

struct frame {
	unsigned int n;     /* bytes, padding included */
	unsigned int end;   /* of the outermost IP packet */
	unsigned int blind; /* end of the first header behind which nothing can be read; 0: none */
	unsigned int stop;  /* bytes from here on are left alone: a tunnel, what is behind blind */
	unsigned int n_layers;
	struct frame_layer layers[FRAME_LAYERS];
	uint8_t wrong[FRAME_BYTES]; /* lengths right, checksums wrong (or 0 where UDP has none) */
	uint8_t right[FRAME_BYTES]; /* the same with right checksums in all that is read */
};

/*
 * Make the frame that the words of line say. tunnels: whether what is in a tunnel is to be right too.
 * A number is so many bytes of payload, padN so many behind the end. Words: see the table in csum_frame.c.
 */
void frame_build(struct frame *f, const char *line, bool tunnels);

/* Make right anew from wrong, which was changed. */
void frame_correct(struct frame *f, bool tunnels);

/* The layer number nth (from 0) with that word. */
unsigned int frame_off(const struct frame *f, const char *word, unsigned int nth);

/* Arithmetic, the plain way. Sums are not folded beyond 32 bits and not inverted; bytes big-endian. */
uint32_t frame_sum(const uint8_t *bytes, unsigned int n, uint32_t sum);
uint16_t frame_fold(uint32_t sum);
uint32_t frame_pseudo(const uint8_t *ip, uint8_t proto, unsigned int n);
uint32_t frame_crc32c(const uint8_t *bytes, unsigned int n);
uint16_t frame_get16(const uint8_t *p);
void frame_put16(uint8_t *p, unsigned int value);
