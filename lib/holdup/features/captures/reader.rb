# frozen_string_literal: true

require "json"

module Holdup
  module Captures
    # The stored captures, as pages read them. Opens only files that the folder lists: an address contains the
    # name of a capture, never a path. Replaying a capture takes a second or more, so the last one is cached.
    class Reader
      # @param dir [String, nil] nil: captures are disabled
      def initialize(dir)
        @archive = Capture::Archive.new(dir) if dir
        @lock = Mutex.new
      end

      # @return [Array<Capture::ArchivedCapture>] newest first
      def all
        @archive ? @archive.kept : []
      end

      # @raise [UsageError] for an unknown id
      def find(id)
        @archive&.find(id) || raise(View::InputError.new(:no_capture, kept: Capture::Archive::KEPT))
      end

      # @raise [UsageError] if the capture can't be read
      def scene(kept)
        @lock.synchronize do
          @scene = nil unless @shown == kept.id
          @shown = kept.id
          @scene ||= Timeline::Scene.new(reading { Capture::Archive.read(kept.path) })
        end
      end

      # @return [String] the file's bytes
      # @raise [UsageError]
      def bytes(kept)
        reading { File.binread(kept.path) }
      end

      private

      # The file may be pruned meanwhile.
      def reading
        yield
      rescue SystemCallError, DamagedData => error
        raise View::InputError.new(:capture_unreadable, reason: error.class.name.split("::").last)
      end

      # Download formats of a capture: the viewer's, the file itself, and those of other viewers.
      class Files
        # `name`: the file name for the browser to save, nil for data it only reads
        File = Data.define(:type, :name, :body)

        JSON_TYPE = "application/json; charset=utf-8"
        BYTES_TYPE = "application/octet-stream"
        ALL = {
          "columns" => ->(captures, kept) {
            File.new(type: BYTES_TYPE, name: nil,
              body: Columns.new(captures.scene(kept)).call)
          },
          "packed" => ->(captures, kept) {
            File.new(type: BYTES_TYPE,
              name: "#{kept.id}#{Capture::Archive::SUFFIX}", body: captures.bytes(kept))
          },
          **TraceFormats::FORMATS.keys.to_h do |format|
            ending = TraceFormats::BINARY[format]
            type = ending ? BYTES_TYPE : JSON_TYPE
            name = "#{format}.#{ending || "json"}"
            [format.to_s,
              ->(captures, kept) {
                File.new(type:, name: "#{kept.id}-#{name}",
                  body: TraceFormats.call(captures.scene(kept), format))
              }]
          end
        }.freeze

        def initialize(captures)
          @captures = captures
        end

        # @return [File, nil] nil for an unknown format
        # @raise [UsageError, DamagedData]
        def call(id, format)
          ALL[format]&.call(@captures, @captures.find(id))
        end
      end

      # Links to the files of a capture. `formats`: {String => String}
      Downloads = Data.define(:title, :id, :formats) do
        def view = "downloads"
      end

      # Asks a process for a capture. `processes`: {pid => name}
      OrderForm = Data.define(:title, :processes) do
        def view = "order"

        # @return [Hash{String => String}] what to call a process, by its pid: its name has the pid already,
        #   or it follows
        def options
          processes.to_h do |pid, name|
            [pid.to_s, name.include?(pid.to_s) ? name : "#{name} (pid #{pid})"]
          end
        end
      end

      # The story of one unit. `periods`: Array of TimelineStory::Waterfall::MainPeriod
      Story = Data.define(:title, :columns, :periods, :notes) do
        def view = "story"

        def plain
          rows = periods.map { |period| [period.at, period.length, period.text] }
          View::Section.new(title:, columns:, rows:, notes:)
        end
      end

      # The viewer's place in a page. `unit`: number of the unit to follow, or nil; `words`: its texts, by
      # their names in assets/src/timeline
      ViewerPage = Data.define(:id, :unit, :words) do
        # @return [String] JSON
        def self.labels(words)
          JSON.generate(ViewerPage::LABELS.to_h { |key| [key, words.call(:"viewer_#{key}")] })
        end

        def view = "capture"
      end

      ViewerPage::LABELS = %i[period held_part placed_at holder no_holder running stalled preempted io lock
        sleep idle unknown absent handoff others nobody unfinished unnamed folded folded_one unfolded].freeze

      # A capture for the viewer: columns of numbers that a browser maps without parsing
      # (assets/src/timeline/data.js). Little endian: two u32 (version, length of the JSON that follows), the
      # JSON, padded to a multiple of 8; then for each lane `from` (f64, ns since the window's start), `unit`
      # (u32, 0 for none), `state` (u8); then for each GVL `from`, `to` (f64), `lane`, `unit`, `method` (u32,
      # 0 if unknown) of its holders in order of time. Each column starts at a multiple of 8.
      class Columns
        VERSION = 1
        # The meaning of `state`, by index.
        STATES = %w[running stalled preempted io lock sleep idle unknown absent].freeze
        CODES = STATES.each_with_index.to_h { |name, code| [name.to_sym, code] }.freeze
        ALIGNED = 8
        # A holder of the GVL from one tick to another. `stack`: its number, nil for none
        Held = Struct.new(:lane, :from, :to, :unit, :stack)
        private_constant :Held

        def initialize(scene)
          @scene = scene
          @stacks = scene.recording.stacks
          @names = {}
          @picture = TraceFormats::Picture.new(scene)
          @places = @picture.lanes.each_with_index.to_h.compare_by_identity
        end

        # @return [String] bytes
        def call
          head = JSON.generate(contents).b
          [[VERSION, head.bytesize].pack("L<2"), head, filled(8 + head.bytesize), *lanes, *gvls].join
        end

        private

        def contents
          {length_ns: @picture.length_ns, states: STATES, methods: [nil, *methods.keys],
           lanes: @picture.lanes.map { |lane| lane_contents(lane) }, units: units,
           gvls: holders.map { |number, pairs| {number:, count: pairs.size} }}
        end

        def lane_contents(lane)
          {number: lane.number, name: View::Width.clean(@picture.thread_name(lane)), gvl: lane.ledger,
           count: lane.spans.size, collections: @picture.collections(lane)}
        end

        # @return [Array<Array>] id, index of its lane, name (nil: not ended yet; "": none), from, to
        def units
          @scene.units.filter_map { |unit|
            if @places.key?(unit.lane)
              name = unit.to ? View::Width.clean(unit.name.to_s) : unit.name && View::Width.clean(unit.name)
              [unit.id, @places[unit.lane], name, *@picture.bounds(unit)]
            end
          }
        end

        def lanes
          @picture.lanes.flat_map do |lane|
            spans = lane.spans
            [column(spans.map { |span| @picture.ns(span.from) }, "E*"),
              column(spans.map { |span| unit(span) }, "L<*"), column(spans.map { |span| code(span) }, "C*")]
          end
        end

        def gvls
          holders.values.flat_map do |pairs|
            [column(pairs.map { |held| @picture.ns(held.from) }, "E*"),
              column(pairs.map { |held| @picture.ns(held.to) }, "E*"),
              column(pairs.map { |held| @places[held.lane] }, "L<*"), column(pairs.map(&:unit), "L<*"),
              column(pairs.map { |held| held.stack ? methods.fetch(name(held.stack)) : 0 }, "L<*")]
          end
        end

        def holders
          @holders ||= @picture.lanes.group_by(&:ledger).transform_values do |lanes|
            lanes.flat_map { |lane|
              lane.spans.select { |span| span.state == :running }.flat_map { |span|
                held(
                  lane, span
                )
              }
            }.sort_by(&:from)
          end
        end

        # With stacks a span has several pieces, each with its stack.
        def held(lane, span)
          return [Held.new(lane, span.from, span.to, unit(span), nil)] unless @stacks.any?
          @scene.samples.held(lane, span.from, span.to).map { |piece|
            Held.new(lane, piece.from, piece.to, unit(span), piece.stack)
          }
        end

        # @return [Hash{String => Integer}] a number, starting at 1, for each method that ran
        def methods
          @methods ||= begin
            stacks = holders.values.flatten.filter_map(&:stack).uniq
            stacks.map { |stack| name(stack) }.uniq.each.with_index(1).to_h
          end
        end

        def name(stack)
          @names[stack] ||= begin
            frame = @stacks.running(stack)
            place = frame&.place
            name = frame&.method_name unless place && frame.named_by_place?
            View::Width.clean([name, (name && place) ? "(#{place})" : place].compact.join(" "))
          end
        end

        def unit(span)
          span.unit.zero? ? 0 : @scene.unit_of(span)&.id.to_i
        end

        def code(span)
          return CODES.fetch(span.kind || :idle) if span.state == :idle
          CODES.fetch((span.kind == :preempted) ? :preempted : span.state)
        end

        def column(values, format)
          bytes = values.pack(format)
          bytes << filled(bytes.bytesize)
        end

        def filled(bytes) = "\0".b * (-bytes % ALIGNED)
      end
    end
  end
end
