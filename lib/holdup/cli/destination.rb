# frozen_string_literal: true

require_relative "../errors"

module Holdup
  class CLI
    # Where what a command says goes: to a file that was named, else to the terminal or the pipe.
    class Destination
      # @param console [Console]
      # @param file [String, nil] path
      # @param format [Symbol]
      # @raise [UsageError] for a page of a browser on a terminal
      def initialize(console, file: nil, format: :text)
        @console = console
        @file = file
        raise UsageError.new("HTML is nothing for a terminal", "name a file with --out, such as --out report.html") if format == :html && file.nil? && console.out.tty?
      end

      # @param text [String]
      # @return [void]
      # @raise [Error] when there is no room for it
      def write(text)
        @file ? File.write(@file, text) : @console.out.write(text)
      rescue SystemCallError => error
        raise if @file.nil?
        raise Error.new("#{@file} can't be written (#{error.message})", "name another with --out")
      end
    end
  end
end
