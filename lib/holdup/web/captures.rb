# frozen_string_literal: true

require "json"
require "uri"
require "zlib"

module Holdup
  class Web
    # The captures that are kept, as pages read them. Only what the folder lists is ever opened: an address
    # has the name of one, and never a path. Playing a capture again takes a second and more, so the last one
    # stays at hand.
    class Captures
      # @param dir [String, nil] nil: there is none
      def initialize(dir)
        @archive = Capture::Archive.new(dir) if dir
        @lock = Mutex.new
      end

      # @return [Array<Capture::ArchivedCapture>] the newest first
      def all
        @archive ? @archive.kept : []
      end

      # @param id [String, nil]
      # @return [Capture::ArchivedCapture]
      # @raise [UsageError] none is called so
      def find(id)
        @archive&.find(id) || raise(UsageError.new("this capture does not exist",
          "choose one in the list; only the newest #{Capture::Archive::KEPT} are kept"))
      end

      # @param kept [Capture::ArchivedCapture]
      # @return [Analysis::Timeline::Scene]
      # @raise [UsageError] it can't be read
      def scene(kept)
        @lock.synchronize do
          @scene = nil unless @shown == kept.id
          @shown = kept.id
          @scene ||= Analysis::Timeline::Scene.new(reading { Capture::Archive.read(kept.path) })
        end
      end

      # @param kept [Capture::ArchivedCapture]
      # @return [String] the file as it is
      # @raise [UsageError]
      def bytes(kept)
        reading { File.binread(kept.path) }
      end

      private

      # One may be pruned meanwhile.
      def reading
        yield
      rescue SystemCallError, DamagedData => error
        raise UsageError.new("the capture can't be read (#{error.class.name.split("::").last})",
          "choose another one, or take a new one")
      end

      # What a capture can be had as: what the viewer draws, the file itself, the formats of other viewers.
      class Files
        # `name` of the file that a browser keeps, nil for what it only reads
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
          **View::TraceFormats::FORMATS.keys.to_h do |format|
            ending = View::TraceFormats::BINARY[format]
            type = ending ? BYTES_TYPE : JSON_TYPE
            name = "#{format}.#{ending || "json"}"
            [format.to_s,
              ->(captures, kept) {
                File.new(type:, name: "#{kept.id}-#{name}",
                  body: View::TraceFormats.call(captures.scene(kept), format))
              }]
          end
        }.freeze

        # @param captures [Captures]
        def initialize(captures)
          @captures = captures
        end

        # @param id [String]
        # @param format [String]
        # @return [File, nil] nil where there is no such format
        # @raise [UsageError, DamagedData]
        def call(id, format)
          ALL[format]&.call(@captures, @captures.find(id))
        end
      end

      # What the application answers about captures beside their pages.
      module Routes
        KEPT = "private, max-age=86400, immutable"
        # Of a form that is sent here.
        MOST_BYTES = 1000

        private

        def order
          pid = Queries::OptionValues.whole("pid", form["pid"].to_s, 1..2**31)
          context.ordering.order(pid)
          request.redirect(view("captures", query).url("captures", {"asked" => pid}), 303)
        end

        # Its bytes never change.
        def captured(id, format)
          found = Captures::Files.new(context.captures).call(id, format) or return
          response.headers.merge!("content-type" => found.type, "cache-control" => KEPT,
            "vary" => "accept-encoding")
          response.headers["content-disposition"] = %(attachment; filename="#{found.name}") if found.name
          packed(found.body)
        end

        # Columns of numbers pack well, and there are millions of them.
        def packed(body)
          return body unless env["HTTP_ACCEPT_ENCODING"].to_s.match?(/\bgzip\b/)
          response.headers["content-encoding"] = "gzip"
          Zlib.gzip(body, level: Zlib::BEST_SPEED)
        end

        def form
          URI.decode_www_form(env["rack.input"]&.read(MOST_BYTES).to_s).to_h
        rescue ArgumentError
          {}
        end
      end

      # Links to the files of a capture. `formats`: {String => String}
      Downloads = Data.define(:title, :id, :formats) do
        def view = "downloads"
      end

      # Asks a process for a capture. `processes`: {pid => name}
      OrderForm = Data.define(:title, :processes) do
        def view = "order"
      end

      # What one unit went through. `rows`: since when, for how long, what, as View::TimelineStory has
      # them
      Story = Data.define(:title, :columns, :rows, :notes) do
        def view = "story"

        # @return [View::Section]
        def plain
          View::Section.new(title:, columns:, rows:, notes:)
        end
      end

      # The viewer's place in a page; `unit`: number of the one to follow, or nil; `words`: what it says, by
      # their names in assets/src/timeline.
      ViewerPage = Data.define(:id, :unit, :words) do
        # @param words [View::Words]
        # @return [String] JSON
        def self.told(words)
          JSON.generate(ViewerPage::SAID.to_h { |key| [key, words.call(:"viewer_#{key}")] })
        end

        def view = "capture"
      end

      ViewerPage::SAID = %i[period holder nobody running stalled preempted io lock sleep idle unknown absent
        handoff].freeze
    end
  end
end
