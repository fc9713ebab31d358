# frozen_string_literal: true

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
    end
  end
end
