# frozen_string_literal: true

module Holdup
  module Exporters
    # The last text for Prometheus, in the folder of the segments. The collector leaves it there for the
    # dashboard, which runs in an application and must not talk to the network.
    class MetricsFile
      NAME = "metrics.prom"
      MOST_BYTES = 64 * 1024 * 1024

      def initialize(dir)
        @directory = Segment::Directory.new(dir)
        @path = File.join(@directory.path, NAME)
      end

      # Readers see the old text or the new one.
      # @raise [SystemCallError]
      def write(text)
        flags = File::WRONLY | File::CREAT | File::TRUNC | File::NOFOLLOW
        File.open("#{@path}.new", flags, 0o600) { |file| file.write(text) }
        File.rename("#{@path}.new", @path)
      end

      # @return [String, nil] nil when no collector writes it
      def read
        return unless @directory.collected?
        File.open(@path, File::RDONLY | File::NOFOLLOW) { |file| file.read(MOST_BYTES).to_s }
      rescue SystemCallError
        nil
      end

      def remove
        File.unlink(@path)
      rescue SystemCallError
        nil
      end
    end
  end
end
