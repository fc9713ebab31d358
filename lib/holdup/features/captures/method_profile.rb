# frozen_string_literal: true

require "json"
require "zlib"

module Holdup
  module Captures
    # Samples of methods that make others wait, as a profile for other viewers. Its stacks have three
    # frames: the requests or jobs of a name, the method of the application, and what that had called. The
    # weight is the stall of others.
    class MethodProfile
      FORMATS = %i[pprof firefox].freeze
      # Names that stand instead of what the method had called.
      PARTS = {gc: "(GC)", native: "(native C)"}.freeze

      # `line`: where the function was; 0 without one
      ProfileFrame = Data.define(:label, :path, :at) do
        # The line at which the function begins is unknown.
        def line = 0
      end

      # @return [Array<Symbol>] parts of the summary that it needs
      def self.parts(_summary) = [:holding_methods]

      # @param summary [Analysis::Summary]
      # @param format [Symbol] one of FORMATS
      # @return [String] a file
      # @raise [Error] there are no samples
      def self.call(summary, format)
        places = summary.holding_places
        if places.empty?
          raise Error.new("no method made others wait in that span",
            "methods are sampled while others wait: see config.hold_sample")
        end
        return Pprof.new(places, from_s: summary.from_s, to_s: summary.to_s).call if format == :pprof
        profile = TraceFormats::Firefox.new(MethodPicture.new(places, from_s: summary.from_s)).call
        "#{View::Width.clean(JSON.generate(profile))}\n"
      end

      # @param place [Analysis::MethodPlace]
      # @return [Array<ProfileFrame>] innermost first
      def self.frames(place)
        inner = PARTS.fetch(place.part, place.called)
        [*(ProfileFrame.new(label: inner, path: nil, at: 0) if inner),
          ProfileFrame.new(label: place.label, path: place.path, at: place.line.to_i),
          ProfileFrame.new(label: place.name, path: nil, at: 0)]
      end

      # The format of `go tool pprof` (profile.proto of github.com/google/pprof), compressed. A sample has the
      # revision that ran as a label.
      class Pprof
        Protobuf = TraceFormats::Protobuf
        # Numbers of fields of the message Profile.
        FIELDS = {sample_type: 1, sample: 2, location: 4, function: 5, text: 6, time: 9, duration: 10,
                  default_type: 14}.freeze
        TYPES = [%w[samples count], %w[stall nanoseconds]].freeze
        private_constant :Protobuf, :FIELDS, :TYPES

        def initialize(places, from_s:, to_s:)
          @places = places
          @from_s = from_s
          @to_s = to_s
          @texts = {"" => 0} # required to be the first
          @functions = {}
          @locations = {}
        end

        # @return [String] bytes
        def call = Zlib.gzip(message)

        private

        # Texts come last, because all else adds some.
        def message
          [types, samples, functions, locations, span, texts].join
        end

        def types
          TYPES.map do |name, unit|
            messages(:sample_type, Protobuf.number(1, text(name)) << Protobuf.number(2, text(unit)))
          end
        end

        def samples
          @places.map do |place|
            located = MethodProfile.frames(place).map { |frame| Protobuf.number(1, location(frame)) }
            values = [place.samples, place.caused_ns].map { |value| Protobuf.number(2, value) }
            messages(:sample, [*located, *values, *revision(place)].join)
          end
        end

        def revision(place)
          return unless place.revision
          Protobuf.bytes(3, Protobuf.number(1, text("revision")) << Protobuf.number(2, text(place.revision)))
        end

        def location(frame)
          number(@locations, [number(@functions, [text(frame.label), text(frame.path.to_s)]), frame.at])
        end

        def functions
          @functions.map do |(name, path), id|
            messages(:function, [[1, id], [2, name], [3, name], [4, path]])
          end
        end

        def locations
          @locations.map do |(function, at), id|
            line = Protobuf.number(1, function) << Protobuf.number(2, at)
            messages(:location, Protobuf.number(1, id) << Protobuf.bytes(4, line))
          end
        end

        def span
          [[:time, @from_s * NS], [:duration, (@to_s - @from_s) * NS], [:default_type, text("stall")]]
            .map { |field, value| Protobuf.number(FIELDS.fetch(field), value) }
        end

        def texts = @texts.keys.map { |text| Protobuf.text(FIELDS.fetch(:text), text) }

        # @param content [String, Array<(Integer, Integer)>] bytes, or fields with numbers
        def messages(field, content)
          bytes = content.is_a?(String) ? content : content.map { |pair| Protobuf.number(*pair) }.join
          Protobuf.bytes(FIELDS.fetch(field), bytes)
        end

        def text(text) = @texts[View::Width.clean(text)] ||= @texts.size

        def number(table, key) = table[key] ||= table.size + 1
      end

      # What TraceFormats::Firefox draws: a thread for each name. Samples have no moments, only weights, so
      # they follow each other.
      class MethodPicture
        ProfileLane = Data.define(:number, :name)
        PictureHeader = Data.define(:process_name, :pid)

        def initialize(places, from_s:)
          @from_s = from_s
          @places = places.group_by(&:name)
        end

        def lanes
          @lanes ||= @places.keys.each_with_index.map { |name, at| ProfileLane.new(number: at + 1, name:) }
        end

        def thread_name(lane) = lane.name

        def header = PictureHeader.new(process_name: "methods that make others wait", pid: 0)

        def recording = self

        def realtime_ns(ticks) = @from_s * NS + ticks

        # Nothing but samples.
        def periods(_lane) = []
        alias_method :units, :periods
        alias_method :collections, :periods

        # @return [Array<Array(Integer, Integer, Array<ProfileFrame>)>] ns from and to, and frames
        def ran(lane)
          to_ns = 0
          @places.fetch(lane.name).map do |place|
            from_ns = to_ns
            to_ns += place.caused_ns
            [from_ns, to_ns, MethodProfile.frames(place)]
          end
        end
      end
    end
  end
end
