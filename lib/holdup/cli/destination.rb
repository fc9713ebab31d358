# frozen_string_literal: true

module Holdup
  class CLI
    # Where what a command says goes: to a file that was named, else to the terminal or the pipe.
    class Destination
      # Formats that a terminal can't show, and a file for each.
      UNREADABLE = {html: ["HTML", "report.html"], perfetto: ["a trace for Perfetto", "trace.pftrace"]}.freeze

      # @param console [Console]
      # @param file [String, nil] path
      # @param format [Symbol]
      # @param option [String] that names the file
      # @raise [UsageError] for one that a terminal can't show, on a terminal
      def initialize(console, file: nil, format: :text, option: "--out")
        @console = console
        @file = file
        @option = option
        what, example = UNREADABLE[format]
        if what && file.nil? && console.out.tty?
          raise UsageError.new("#{what} is nothing for a terminal",
            "name a file with --out, such as --out #{example}")
        end
      end

      # @param text [String]
      # @return [void]
      # @raise [Error] when there is no room for it
      def write(text)
        @file ? File.write(@file, text) : @console.out.write(text)
      rescue SystemCallError => error
        raise if @file.nil?
        raise Error.new("#{@file} can't be written (#{error.message})", "name another with #{@option}")
      end
    end
  end
end
