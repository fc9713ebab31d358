# frozen_string_literal: true

module Holdup
  class Web
    class Captures
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
    end
  end
end
